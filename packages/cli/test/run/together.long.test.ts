import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';
import type { Started, User } from '../support/locks-program.ts';

/** What `inspect` tells of `key`. */
async function stateOf(user: User, key: string): Promise<unknown> {
  return JSON.parse((await user.locks('inspect', key, '--json')).output) as unknown;
}

const started = async (program: Started): Promise<void> => await expect.poll(program.written).toContain('started');

test('runs in two folders meet, and wait in order', async () => {
  const user = createUser();
  const log = join(user.home, 'log');
  const go = join(user.home, 'go');
  const first = user.start([
    'run',
    'key',
    '--',
    'sh',
    '-c',
    `echo started; while [ ! -e ${go} ]; do sleep 0.05; done; echo 0 >> ${log}`,
  ]);
  await started(first);
  const others: Started[] = [];
  for (const turn of [1, 2, 3]) {
    const cwd = join(user.home, String(turn));
    mkdirSync(cwd);
    others.push(user.start(['run', 'key', '--', 'sh', '-c', `echo ${turn} >> ${log}`], { cwd }));
    await expect.poll(async () => await stateOf(user, 'key')).toMatchObject({ waiters: turn });
  }
  writeFileSync(go, '');
  await Promise.all(others.map(({ ended }) => ended));
  expect((await user.start(['run', 'key', '--', 'cat', log]).ended).output).toBe('0\n1\n2\n3\n');
});

test('--shared and --permits let others in, up to their number', async () => {
  const user = createUser();
  const holder = user.start(['run', 'key', '--permits', '2', '--', 'sh', '-c', 'echo started; sleep 60']);
  await started(holder);
  const second = user.start(['run', 'key', '--permits', '2', '--', 'sh', '-c', 'echo started; sleep 60']);
  await started(second);
  expect((await user.locks('run', 'key', '--permits', '2', '--wait', '0', '--', 'true')).code).toBe(75);
  expect((await user.locks('run', 'key', '--wait', '0', '--', 'true')).code).toBe(75);
  const reader = user.start(['run', 'other', '--shared', '--', 'sh', '-c', 'echo started; sleep 60']);
  await started(reader);
  expect((await user.locks('run', 'other', '--shared', '--wait', '0', '--', 'true')).code).toBe(0);
});

test('--at-least keeps the key after the end', async () => {
  const user = createUser();
  await user.locks('run', 'key', '--at-least', '1m', '--', 'true');
  expect((await user.locks('run', 'key', '--wait', '0', '--', 'true')).code).toBe(75);
});

test.each(['SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const)('a run that waits leaves the line on %s', async (signal) => {
  const user = createUser();
  await started(user.start(['run', 'key', '--', 'sh', '-c', 'echo started; sleep 60']));
  const waiter = user.start(['run', 'key', '--', 'true']);
  await expect.poll(async () => await stateOf(user, 'key')).toMatchObject({ waiters: 1 });
  waiter.process.kill(signal);
  // On SIGUSR1 Node would open its debugger.
  expect(await waiter.ended).toMatchObject({ signal, errors: '' });
  expect(await stateOf(user, 'key')).toMatchObject({ waiters: 0 });
});

test('processes that the command leaves behind are told', async () => {
  const { errors, code } = await createUser().locks('run', 'key', '--', 'sh', '-c', 'sleep 3 >/dev/null 2>&1 &');
  expect(code).toBe(0);
  expect(errors).toMatch(/1 of its processes continue without the lock key: \d+/);
});
