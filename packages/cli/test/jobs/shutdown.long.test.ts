import { setTimeout as sleep } from 'node:timers/promises';
import type { JobState } from '@locks/core';
import { expect, test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';

const loop = 'while :; do sleep 0.05; done';

interface Case {
  readonly what: string;
  readonly script: string;
  /** In ms, from TERM to KILL. */
  readonly grace: number;
  readonly state: JobState;
  /** How `locks run` ends. */
  readonly code: number;
  /** Of the next call without and with `--retry`, and whether that one runs. */
  readonly next: readonly [keep: number, retry: number, runs: boolean];
}

const cases: readonly Case[] = [
  {
    what: 'ends in time',
    script: `trap "sleep 0.3; exit 0" TERM; echo begun; ${loop}`,
    grace: 20_000,
    state: 'done',
    code: 0,
    next: [0, 0, false],
  },
  {
    what: 'obeys the signal',
    script: `echo begun; ${loop}`,
    grace: 20_000,
    state: 'stopped',
    code: 143,
    next: [143, 0, true],
  },
  {
    what: 'obeys the signal, and ends with a code',
    script: `trap "exit 4" TERM; echo begun; ${loop}`,
    grace: 20_000,
    state: 'stopped',
    code: 4,
    next: [4, 0, true],
  },
  {
    what: 'ignores the signal, and is killed',
    script: `trap "" TERM; echo begun; ${loop}`,
    grace: 500,
    state: 'crashed',
    code: 137,
    next: [76, 0, true],
  },
];

// As a pod ends: TERM, and KILL after its grace.
test.each(cases)('a command that $what leaves a run that is $state', { timeout: 60_000 }, async (each) => {
  const { script, grace, state, code, next } = each;
  const [user, slot] = [createUser(), `${new Date().toISOString().slice(0, 16)}Z`];
  const locks = await locksOf(user);
  const job = ['run', 'report', '--once', slot, '--ttl', '1s', '--grace', '300ms'];
  const run = user.start([...job, '--', 'sh', '-c', script]);
  await expect.poll(run.written, { timeout: 20_000 }).toBe('begun\n');
  run.process.kill('SIGTERM');
  const ended = new AbortController();
  void sleep(grace, undefined, { signal: ended.signal }).then(
    () => run.process.kill('SIGKILL'),
    () => {},
  );
  expect((await run.ended).code).toBe(code);
  ended.abort();
  await expect.poll(async () => (await locks.job('report'))?.state, { timeout: 20_000 }).toBe(state);
  const [keep, retry, runs] = next;
  expect(await user.locks(...job, '--', 'echo', 'again')).toMatchObject({ code: keep, output: '' });
  expect((await locks.job('report'))?.state).toBe(state);
  const again = await user.locks(...job, '--retry', '--', 'echo', 'again');
  expect(again).toMatchObject({ code: retry, output: runs ? 'again\n' : '' });
});
