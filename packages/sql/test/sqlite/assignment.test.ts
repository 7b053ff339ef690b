import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { KeyState, LockProvider } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { inQueue } from '../servers/parties.ts';
import type { TestFile } from './support/file.ts';
import { ownFile, party } from './support/own.ts';
import { startWorkers } from './support/worker.ts';

/** How long a position in the queue lasts, in ms: so long lasts what a release gives, at most. */
const waiterTtl = 3_000;
const ttl = 10_000;

const holderOf = ({ holders }: KeyState): string | undefined => holders[0]?.owner;

/** A process whose claim is first in the queue, and which stands still. */
async function standing(file: TestFile, provider: LockProvider, ms: number): Promise<() => string> {
  const [worker] = await startWorkers(file.url, [{}], { waiterTtl });
  const log = join(file.folder, 'served');
  writeFileSync(log, '');
  await worker!.ask('enqueue', { key: 'job', name: 'first', log });
  await inQueue(provider, 1);
  await worker!.ask('stand', { ms });
  await setTimeout(100);
  return () => readFileSync(log, 'utf8');
}

test('a release gives the key to the first in the queue, before its process has said a word', async () => {
  const file = ownFile();
  const { locks, provider } = await party(file, { waiterTtl });
  const held = await locks.acquire('job', { ttl });
  const served = await standing(file, provider, 1_000);
  const { queue } = await provider.inspect('job');
  await held.release();
  const state = await provider.inspect('job');
  expect(state).toMatchObject({ holders: [{ owner: queue?.[0]?.owner, mode: 'exclusive' }], waiters: 0 });
  const [{ token = 0n, remaining }] = state.holders as [KeyState['holders'][number]];
  expect([token > held.token, served()]).toEqual([true, '']);
  // No longer than the place, as its process may be gone.
  expect(remaining).toBeLessThanOrEqual(waiterTtl);
  await eventually('the work of the first in the queue', () => served() === 'first\n');
  await eventually('a free key', async () => (await provider.inspect('job')).holders.length === 0);
});

test('a process that stands still for longer than its place would last has nothing, and the next one is served', async () => {
  const file = ownFile();
  const { locks, provider } = await party(file, { waiterTtl });
  const held = await locks.acquire('job', { ttl });
  const served = await standing(file, provider, 2 * waiterTtl);
  const waits = locks.acquire('job', { ttl });
  const { queue } = await inQueue(provider, 2);
  await held.release();
  expect(holderOf(await provider.inspect('job'))).toBe(queue?.[0]?.owner);
  const lease = await waits;
  expect([lease.owner, served()]).toEqual([queue?.[1]?.owner, '']);
  await inQueue(provider, 1);
  expect(lease.held).toBe(true);
  await lease.release();
  await eventually('the work of the first in the queue', () => served() === 'first\n');
});
