import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { countLive } from './support/file.ts';
import { ownFile, party } from './support/own.ts';
import { startWorker, startWorkers } from './support/worker.ts';

/** Hundreds of turns between processes: a busy machine may need this long, in ms. */
const patience = 120_000;

const four: readonly NodeJS.ProcessEnv[] = [{}, {}, {}, {}];

test(
  'four processes with 25 waiters each count exactly, in the order of tokens, and no waiter is left out',
  async () => {
    const file = ownFile();
    const counter = join(file.folder, 'counter');
    writeFileSync(counter, '0');
    const workers = await startWorkers(file.url, four);
    const task = { key: 'hot', workers: 25, rounds: 2, counter };
    const answers = await Promise.all(workers.map((worker) => worker.ask<[number, string][]>('count', task)));
    const served = answers.flat().toSorted(([one], [other]) => one - other);
    expect(readFileSync(counter, 'utf8')).toBe('200');
    expect(served.map(([number]) => number)).toEqual(Array.from({ length: 200 }, (_, index) => index));
    const tokens = served.map(([, token]) => BigInt(token));
    expect(tokens.every((token, index) => index === 0 || token > tokens[index - 1]!)).toBe(true);
    expect(countLive(file)).toEqual({ held: 0, queue: 0 });
  },
  patience,
);

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

test('the hold of a killed process lasts for its ttl, and no longer', async () => {
  const file = ownFile();
  const worker = await startWorker();
  await worker.ask('open', { url: file.url, options: {}, ttl: 10_000 });
  const { locks } = await party(file);
  const sent = performance.now();
  const token = BigInt(await worker.ask<string>('acquire', { key: 'job', ttl: 1_500 }));
  worker.kill('SIGKILL');
  const lease = await locks.acquire('job', { wait: 10_000 });
  expect(performance.now() - sent).toBeGreaterThan(1_500 * 0.98);
  expect(lease.token).toBeGreaterThan(token);
  await lease.release();
});

test('a process that stands still while it holds loses its lease, and knows it when it goes on', async () => {
  const file = ownFile();
  const worker = await startWorker();
  await worker.ask('open', { url: file.url, options: {}, ttl: 10_000 });
  const { locks } = await party(file);
  await worker.ask('acquire', { key: 'job', ttl: 1_000 });
  worker.kill('SIGSTOP');
  const lease = await locks.acquire('job', { wait: 10_000 });
  worker.kill('SIGCONT');
  expect(await worker.ask('held', { key: 'job' })).toBe(false);
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
});

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
