import { drawScript, lengthOf, shrinkScript } from '@locks/conformance/nemesis';
import type { Script } from '@locks/conformance/nemesis';
import { expect, test } from 'vitest';

const target = { name: 'shrunk', ttl: 1_000, servers: [{ host: '127.0.0.1', port: 1 }], openings: { only: {} } };
const drawn = drawScript(1, target);

function needs(kind: string, how: string) {
  return ({ faults, workers, length }: Script): boolean =>
    length >= 2_000 &&
    faults.some((fault) => fault.kind === kind && workers[fault.worker ?? 0] !== undefined) &&
    workers.some(({ flows }) => flows.flat().some((turn) => turn.how === how));
}

test('a script is shrunk to the one turn and the one fault that its failure needs', async () => {
  const fails = needs('pause', 'withLock');
  expect(fails(drawn)).toBe(true);
  const shrunk = await shrinkScript(drawn, async (script) => fails(script));
  expect(lengthOf(shrunk)).toBe(2);
  expect(shrunk.length).toBeLessThan(4_000);
  expect(fails(shrunk)).toBe(true);
});

test('a failure that shows in each second run is shrunk nevertheless', async () => {
  let runs = 0;
  const fails = needs('pause', 'withLock');
  const shrunk = await shrinkScript(drawn, async (script) => (runs += 1) % 2 === 0 && fails(script));
  expect(fails(shrunk)).toBe(true);
  expect(lengthOf(shrunk)).toBe(2);
});

test('a script whose failure needs all of it stays as it is, and without time it does', async () => {
  const all = lengthOf(drawn);
  const whole = await shrinkScript(drawn, async (script) => lengthOf(script) === all && script.length === drawn.length);
  expect(lengthOf(whole)).toBe(all);
  expect(await shrinkScript(drawn, async () => true, { seconds: 0 })).toEqual(drawn);
});
