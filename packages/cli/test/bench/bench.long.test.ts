import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { collect, startRedis } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';

interface Line {
  readonly probe: string;
  readonly count: number;
  readonly perSecond?: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const linesOf = (output: string): readonly Line[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

test('bench tells how long locks take, on Redis, and leaves no lock', async () => {
  await using server = await startRedis();
  const user = createUser();
  const { code, output, errors } = await user.locks('bench', '--seconds', '1', '--json', '--url', server.url);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  const lines = linesOf(output);
  expect(lines.map(({ probe }) => probe)).toEqual(['one at a time', '8 at once', 'hand-over']);
  for (const { count, p50, p95, p99 } of lines) {
    expect(count).toBeGreaterThan(1);
    expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((a, b) => a - b));
    expect(p50).toBeGreaterThan(0);
  }
  expect(lines.map(({ perSecond }) => perSecond !== undefined)).toEqual([true, true, false]);
  const locks = await openLocks(server.url);
  expect(await collect(locks.list(''))).toEqual([]);
  await locks.close();
});

test('bench says on SQLite what it is not', async () => {
  const { code, output } = await createUser().locks('bench', '--seconds', '1');
  expect(code).toBe(0);
  expect(output).toMatch(
    /^sqlite:.*\nPROBE +ONE IS +IN A SECOND +P50 +P95 +P99\none at a time .*\n8 at once .*\nhand-over /,
  );
  expect(output).toContain('does not compare libraries');
});

test('Ctrl-C ends it, and leaves no lock', async () => {
  const user = createUser();
  const url = `sqlite:${join(user.home, 'own.db')}?migrate=true`;
  const started = user.start(['bench', '--seconds', '60', '--url', url]);
  const locks = await openLocks(url);
  await expect.poll(async () => (await collect(locks.list('locks-bench/'))).length).toBeGreaterThan(0);
  started.process.kill('SIGINT');
  expect((await started.ended).signal).toBe('SIGINT');
  expect(await collect(locks.list(''))).toEqual([]);
  await locks.close();
});
