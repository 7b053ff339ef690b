import { join } from 'node:path';
import type { ServerHandle } from '@locks/test-servers';
import { startRedis } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from '../support/examples.ts';
import { compile, runNode, useRedis } from '../support/examples.ts';
import type { Program } from '../support/programs.ts';
import { readPrograms } from '../support/programs.ts';
import type { Page } from '../support/repository.ts';
import { readPages, root } from '../support/repository.ts';

const pages = readPages()
  .map((page) => read(page))
  .filter(({ programs, problem }) => programs.length > 0 || problem !== '');

let redis: ServerHandle | undefined;
let compiled: ReadonlyMap<string, Compiled>;

beforeAll(async () => {
  const server = await startRedis();
  redis = server;
  const programs = pages.flatMap((page) => page.programs.map((program) => useRedis(program, server.url)));
  const results = await compile(programs, join(root, 'packages/docs-tests/.cache/docs'));
  compiled = new Map([...results].map(([program, result]) => [nameOf(program), result]));
});

afterAll(() => redis?.stop());

test('the README has an example', () => {
  expect(pages.map(({ path }) => path)).toContain('README.md');
});

describe.each(pages)('$path', ({ programs, problem }) => {
  test('marks its blocks in a way that is understood', () => {
    expect(problem).toBe('');
  });

  for (const program of programs) {
    test(`line ${program.line} compiles`, () => {
      expect(compiled.get(nameOf(program))?.problems.join('\n')).toBe('');
    });

    // It says in the page why it cannot run here.
    if (program.notRun !== undefined) continue;
    test(`line ${program.line} runs`, async () => {
      const path = compiled.get(nameOf(program))?.path ?? '';
      const outcome = await runNode(['--enable-source-maps', path], {
        limit: 10_000,
        env: { REDIS_URL: redis?.url ?? '' },
      });
      expect(
        outcome.exitCode,
        outcome.exitCode === undefined ? `still running after 10 s\n${outcome.output}` : outcome.output,
      ).toBe(0);
    });
  }
});

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

function nameOf({ page, file }: Program): string {
  return `${page}/${file}`;
}
