import { rmSync } from 'node:fs';
import { eventually } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import type { LockProvider } from '@locks/core';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/sqlite/connection/connection.ts';
import { migrations } from '../../src/sqlite/migrations.ts';
import { connect } from '../support/databases.ts';
import { countLive } from './support/file.ts';
import type { TestFile } from './support/file.ts';
import { ownFile, party } from './support/own.ts';
import { misconfigured, unavailable } from '../../../core/test/support/lock-error.ts';
import { borrow } from '../support/borrow.ts';
import { locksOver } from '../support/locks-over.ts';

const nothing = { held: 0, queue: 0 };

/** A connection that has begun to write, and does not end. */
function writer(file: TestFile): Database {
  const database = new Libsql(file.path);
  onTestFinished(() => void database.close());
  database.exec('BEGIN IMMEDIATE');
  return database;
}

function claim(key: string, owner: string, ttl = 5_000) {
  return { key, owner, ttl, mode: 'exclusive' } as const;
}

/** A provider over a knex of the caller, and the one connection of its pool. */
async function overOneConnection(file: TestFile): Promise<{ provider: LockProvider; connection: Database }> {
  const knex = connect(file.url);
  const { provider } = locksOver(knex);
  const { connections, giveBack } = await borrow<Database>(knex);
  await giveBack();
  return { provider, connection: connections[0]! };
}

test('another process that writes for longer than the timeout makes it unavailable, and nothing is left', async () => {
  const file = ownFile();
  const { provider: patient } = await party(file);
  const { provider } = await party(file, { timeout: 2_000 });
  // To open the file takes long on a busy machine.
  await provider.inspect('warm');
  const holder = claim('held', 'me/1', 60_000);
  await patient.tryAcquire(holder);
  const other = writer(file);
  const calls = [
    () => provider.tryAcquire(claim('job', 'me/2')),
    () => provider.tryAcquire(claim('held', 'me/3'), () => {}),
    () => provider.renew(holder),
    () => provider.release(holder),
  ];
  const start = performance.now();
  for (const answer of await Promise.allSettled(calls.map((call) => call()))) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_UNAVAILABLE' } });
  }
  // Who only reads is not concerned.
  expect((await provider.inspect('held')).holders).toHaveLength(1);
  // By default it would be 5 s.
  expect(performance.now() - start).toBeLessThan(4_500);
  other.exec('COMMIT');
  expect(await patient.release(holder)).toBe(true);
  // What was given up is not done later.
  for (let look = 0; look < 20; look += 1) {
    expect(countLive(file)).toEqual(nothing);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

test('another process that writes for a while is waited for, without holding up the process', async () => {
  const file = ownFile();
  const { provider } = await party(file);
  await provider.inspect('warm');
  const other = writer(file);
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 5);
  const acquired = provider.tryAcquire(claim('job', 'me/1'));
  await eventually('many ticks', () => ticks > 40);
  clearInterval(ticking);
  other.exec('COMMIT');
  expect(await acquired).toMatchObject({ granted: true });
  expect(await provider.release(claim('job', 'me/1'))).toBe(true);
});

test('the busy_timeout of a caller does not hold up the process, and stays as it is', async () => {
  const file = ownFile();
  const { provider, connection } = await overOneConnection(file);
  connection.exec('PRAGMA busy_timeout = 3000');
  await provider.inspect('warm');
  const other = writer(file);
  const start = performance.now();
  const acquired = provider.tryAcquire(claim('job', 'me/1'));
  let longest = 0;
  for (let last = start; last < start + 300;) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  other.exec('COMMIT');
  expect(await acquired).toMatchObject({ granted: true });
  expect(longest).toBeLessThan(1_000);
  expect(connection.prepare('PRAGMA busy_timeout').all()).toEqual([{ timeout: 3_000 }]);
  await provider.release(claim('job', 'me/1'));
});

test('a full disk is unavailable; once there is room, nothing of what failed is there', async () => {
  const file = ownFile();
  const { provider, connection } = await overOneConnection(file);
  await provider.tryAcquire(claim('held', 'me/0'));
  connection.exec('PRAGMA max_page_count = 1');
  let failed = 0;
  for (let index = 0; index < 400 && failed === 0; index += 1) {
    const key = `${index} ${'x'.repeat(400)}`;
    const answer = await provider.tryAcquire(claim(key, `me/${index}`)).catch((error: unknown) => error);
    if (!(answer instanceof Error)) continue;
    failed += 1;
    expect(answer).toMatchObject({ code: 'LOCK_UNAVAILABLE', key });
    expect(answer.message).toContain(file.path);
    expect(answer.message).toMatch(/disk is full/);
    expect(await provider.inspect(key)).toEqual({ key, holders: [], waiters: 0 });
  }
  expect(failed).toBe(1);
  connection.exec('PRAGMA max_page_count = 100000');
  expect(await provider.tryAcquire(claim('another', 'me/a'))).toMatchObject({ granted: true });
});

test('a file that has become read-only is named, with what it must be', async () => {
  const file = ownFile();
  const { provider, connection } = await overOneConnection(file);
  await provider.tryAcquire(claim('held', 'me/0'));
  connection.exec('PRAGMA query_only = 1');
  const error = await provider.tryAcquire(claim('job', 'me/1')).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect((error as Error).message).toContain(file.path);
  expect((error as Error).message).toMatch(/able to write/);
  // The next call has a connection of its own.
  expect(await provider.release(claim('held', 'me/0'))).toBe(true);
});

test.runIf(process.platform !== 'win32')(
  'a file that is deleted while it is open is noticed before a claim is granted in it',
  async () => {
    const file = ownFile();
    const { provider } = await party(file);
    await provider.tryAcquire(claim('held', 'me/0'));
    for (const end of ['', '-wal', '-shm']) rmSync(file.path + end, { force: true });
    await expect(provider.tryAcquire(claim('job', 'me/1'))).rejects.toMatchObject(
      unavailable(`${JSON.stringify(file.path)} was deleted or replaced`),
    );
    await expect(provider.tryAcquire(claim('job', 'me/1'))).rejects.toMatchObject(misconfigured('it does not exist'));
    const again = new Libsql(file.path);
    for (const { up } of migrations) for (const statement of up) again.exec(statement);
    again.close();
    expect(await provider.tryAcquire(claim('job', 'me/1'))).toMatchObject({ granted: true });
    expect(await provider.renew(claim('held', 'me/0'))).toBe(false);
  },
);

test('a connection that the caller has closed is replaced', async () => {
  const file = ownFile();
  const { provider, connection } = await overOneConnection(file);
  await provider.tryAcquire(claim('job', 'me/1'));
  connection.close();
  await eventually('an answer', () =>
    provider.release(claim('job', 'me/1')).then(
      () => true,
      () => false,
    ),
  );
  const locks = createLocks(provider);
  expect(await locks.withLock('job', () => 7)).toBe(7);
  await locks.close();
});

test('two providers on the one connection of a caller tell each other of turns', async () => {
  const file = ownFile();
  const knex = connect(file.url);
  const [one, other] = [locksOver(knex).provider, locksOver(knex).provider];
  await one.tryAcquire(claim('job', 'me/1'));
  let wakes = 0;
  expect(await other.tryAcquire(claim('job', 'me/2'), () => (wakes += 1))).toMatchObject({ granted: false });
  await one.release(claim('job', 'me/1'));
  await eventually('the wake', () => wakes > 0, 1_000);
  expect(await other.tryAcquire(claim('job', 'me/2'), () => {})).toMatchObject({ granted: true });
  await other.release(claim('job', 'me/2'));
});
