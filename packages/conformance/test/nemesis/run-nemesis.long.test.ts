import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canDo, drawScript, lengthOf, runNemesis } from '@locks/conformance/nemesis';
import type { NemesisOptions, NemesisTarget, Script } from '@locks/conformance/nemesis';
import { expect, onTestFinished, test } from 'vitest';
import { startRemoteStore } from '../fixtures/remote-server.ts';

const traits = { shared: true, expiry: 'ttl' } as const;

/** A store in this process, which the workers reach. */
async function attack(flawed: boolean, options: Partial<NemesisOptions>) {
  const store = await startRemoteStore();
  onTestFinished(() => store.close());
  const target: NemesisTarget = {
    name: 'remote',
    ttl: 400,
    openings: {
      remote: {
        module: new URL('../fixtures/nemesis-opening.js', import.meta.url),
        args: { path: store.path, flawed },
      },
    },
    can: (turn) => canDo(traits, turn, false),
  };
  const lines: string[] = [];
  const result = await runNemesis({ target, seconds: 10, seed: 3, ...options, print: (line) => void lines.push(line) });
  const { failure } = result;
  if (failure !== undefined) onTestFinished(() => rmSync(failure.folder, { recursive: true, force: true }));
  return { ...result, printed: lines.join('\n') };
}

test('sound locks keep all promises, and leave nothing', async () => {
  const { failure, rounds, printed } = await attack(false, { shrink: 0 });
  expect(failure, printed).toBeUndefined();
  expect(rounds[0]?.grants).toBeGreaterThan(100);
}, 120_000);

test('a worker that takes no lock is no failure: a script is shrunk to what fails', async () => {
  const { workers, ...script } = drawScript(
    3,
    { name: 'remote', ttl: 400, openings: { remote: {} } },
    { length: 1_000 },
  );
  const replay: Script = { ...script, workers: workers.map((worker) => ({ ...worker, flows: [] })) };
  const { failure, printed } = await attack(false, { replay, seconds: 1, shrink: 0 });
  expect(failure, printed).toBeUndefined();
}, 60_000);

test('a flaw is found, and shrunk to a short script that fails again', async () => {
  const { failure, printed } = await attack(true, { seconds: 60, shrink: 120 });
  if (failure === undefined) throw new Error(`the flaw was not found:\n${printed}`);
  const { script, drawn, folder, foundAfter } = failure;
  // The second of two holders, or the release of the first, is seen first.
  expect(printed).toMatch(/two holders of|before its promised end/);
  expect(foundAfter).toBeLessThan(60_000);
  expect(lengthOf(script)).toBeLessThan(lengthOf(drawn) / 2);
  expect(JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8'))).toEqual(script);
  expect(existsSync(join(folder, 'timeline.html'))).toBe(true);
  const replay = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8')) as Script;
  const again = await attack(true, { replay, seconds: 60, shrink: 0 });
  const rules = new Set(failure.round.violations.map(({ rule }) => rule));
  expect(again.failure?.round.violations.some(({ rule }) => rules.has(rule))).toBe(true);
}, 300_000);
