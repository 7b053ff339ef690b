import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../support/addresses.ts';
import type { Compiled } from '../support/examples.ts';
import { compile, runNode } from '../support/examples.ts';
import type { Program } from '../support/programs.ts';
import { readPrograms } from '../support/programs.ts';
import type { Page } from '../support/repository.ts';
import { readPages, root } from '../support/repository.ts';
import type { Servers } from '../support/servers.ts';
import { startServers } from '../support/servers.ts';

const pages = readPages()
  .map((page) => read(page))
  .filter(({ programs, problem }) => programs.length > 0 || problem !== '');
const all = pages.flatMap(({ programs }) => programs);

let servers: Servers | undefined;
let connected: readonly Program[];
let compiled: ReadonlyMap<Program, Compiled>;

beforeAll(async () => {
  const started = await startServers();
  servers = started;
  connected = all.map((program, index) => connectTo(program, started.addresses(index)));
  compiled = await compile(connected, join(root, 'packages/docs-tests/.cache/docs'));
});

afterAll(() => servers?.stop());

test('the README has an example', () => {
  expect(pages.map(({ path }) => path)).toContain('README.md');
});

describe.each(pages)('$path', ({ programs, problem }) => {
  test('marks its blocks in a way that is understood', () => {
    expect(problem).toBe('');
  });

  for (const program of programs) {
    const index = all.indexOf(program);
    test(`line ${program.line} compiles`, () => {
      expect(compiledFrom(index).problems.join('\n')).toBe('');
    });

    // It says in the page why it cannot run here.
    if (program.notRun !== undefined) continue;
    test(`line ${program.line} runs`, async () => {
      await servers?.prepare(index, connected[index]?.source ?? '');
      // Files that the program names relatively are made there.
      const folder = mkdtempSync(join(tmpdir(), 'locks-docs-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const outcome = await runNode(['--enable-source-maps', compiledFrom(index).path], { limit: 90_000, cwd: folder });
      expect(
        outcome.exitCode,
        outcome.exitCode === undefined ? `still running after 90 s\n${outcome.output}` : outcome.output,
      ).toBe(0);
    });
  }
});

function compiledFrom(index: number): Compiled {
  const result = compiled.get(connected[index] as Program);
  if (result === undefined) throw new Error(`Program ${index} was not compiled.`);
  return result;
}

function read(page: Page): {
  readonly path: string;
  readonly programs: readonly Program[];
  readonly problem: string;
} {
  const { path } = page;
  try {
    return { path, programs: readPrograms(page), problem: '' };
  } catch (error) {
    return { path, programs: [], problem: String(error) };
  }
}
