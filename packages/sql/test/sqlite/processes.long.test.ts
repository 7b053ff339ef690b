import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { ownFile, party } from './support/own.ts';
import { startWorker, startWorkers } from './support/worker.ts';

/** Hundreds of turns between processes: a busy machine may need this long, in ms. */
const patience = 120_000;

const four: readonly NodeJS.ProcessEnv[] = [{}, {}, {}, {}];

test(
  'a hundred waiters of four processes are served in the order in which they took their places',
  async () => {
    const file = ownFile();
    const log = join(file.folder, 'order');
    const workers = await startWorkers(file.url, four);
    const { locks } = await party(file);
    const holder = await locks.acquire('hot', { ttl: 60_000 });
    const names = Array.from({ length: 100 }, (_, index) => String(index));
    for (const [index, name] of names.entries()) {
      await workers[index % 4]!.ask('enqueue', { key: 'hot', name, log });
      await eventually(`${index + 1} waiters`, async () => (await locks.inspect('hot')).waiters === index + 1);
    }
    await holder.release();
    const order = (): readonly string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
    await eventually('the last of them', () => order().length === 100, patience / 2);
    expect(order()).toEqual(names);
  },
  patience,
);

test('a process that is killed in the middle of a transaction leaves no trace of it, and holds up no client', async () => {
  const file = ownFile();
  const { locks } = await party(file);
  const lease = await locks.acquire('job');
  for (let round = 0; round < 5; round += 1) {
    const worker = await startWorker();
    const sql = `UPDATE "locks" SET record = '', version = ''; DELETE FROM "locks_layout"`;
    await worker.ask('write', { path: file.path, sql });
    const renewal = lease.renew();
    worker.kill('SIGKILL');
    await renewal;
  }
  const state = await locks.inspect('job');
  expect(state.holders).toMatchObject([{ owner: lease.owner, token: lease.token }]);
  expect(await lease.release()).toBe(true);
  expect(file.observer.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});

test('a process that stands still in the middle of a transaction makes the file unavailable, not contended', async () => {
  const file = ownFile();
  const { locks } = await party(file, { timeout: 400 });
  const worker = await startWorker();
  await worker.ask('write', { path: file.path, sql: `UPDATE "locks_host" SET boot = boot` });
  worker.kill('SIGSTOP');
  await expect(locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  // Who only reads is not concerned.
  expect((await locks.inspect('job')).holders).toEqual([]);
  const waiting = locks.acquire('job', { wait: 10_000 });
  worker.kill('SIGCONT');
  await worker.ask('commit');
  expect(await (await waiting).release()).toBe(true);
});
