import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { KeyState, Lease, LockProvider } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import type { TestFile } from './support/file.ts';
import { ownFile, party } from './support/own.ts';
import { startWorkers } from './support/worker.ts';

/** How long a place in line lasts, in ms: so long lasts what a release gives, at most. */
const waiterTtl = 3_000;
const ttl = 10_000;

const holderOf = ({ holders }: KeyState): string | undefined => holders[0]?.owner;

async function inLine(provider: LockProvider, count: number): Promise<KeyState> {
  return await eventually(`${count} in line`, async () => {
    const state = await provider.inspect('job');
    return state.waiters === count && state;
  });
}

/** A process whose claim is first in line, and which stands still. */
async function standing(file: TestFile, provider: LockProvider, ms: number): Promise<() => string> {
  const [worker] = await startWorkers(file.url, [{}], { waiterTtl });
  const log = join(file.folder, 'served');
  writeFileSync(log, '');
  await worker!.ask('enqueue', { key: 'job', name: 'first', log });
  await inLine(provider, 1);
  await worker!.ask('stand', { ms });
  await setTimeout(100);
  return () => readFileSync(log, 'utf8');
}

test('a release gives the key to the first in line, before its process has said a word', async () => {
  const file = ownFile();
  const { locks, provider } = await party(file, { waiterTtl });
  const held = await locks.acquire('job', { ttl });
  const served = await standing(file, provider, 1_000);
  const { line } = await provider.inspect('job');
  await held.release();
  const state = await provider.inspect('job');
  expect(state).toMatchObject({ holders: [{ owner: line?.[0]?.owner, mode: 'exclusive' }], waiters: 0 });
  const [{ token = 0n, remaining }] = state.holders as [KeyState['holders'][number]];
  expect([token > held.token, served()]).toEqual([true, '']);
  // No longer than the place, as its process may be gone.
  expect(remaining).toBeLessThanOrEqual(waiterTtl);
  await eventually('the work of the first in line', () => served() === 'first\n');
  await eventually('a free key', async () => (await provider.inspect('job')).holders.length === 0);
});

test('a claim of the same process has the grant with no other call', async () => {
  const file = ownFile();
  const { locks, provider } = await party(file, { waiterTtl });
  const held = await locks.acquire('job', { ttl });
  const waits = locks.acquire('job', { ttl });
  const { line } = await inLine(provider, 1);
  await held.release();
  const lease = await waits;
  expect([lease.owner, lease.token > held.token]).toEqual([line?.[0]?.owner, true]);
  // Its whole ttl comes with the first renewal.
  expect(lease.remaining).toBeLessThanOrEqual(waiterTtl);
  await lease.renew();
  expect(lease.remaining).toBeGreaterThan(ttl / 2);
  expect(await lease.release()).toBe(true);
  expect(await provider.inspect('job')).toMatchObject({ holders: [], waiters: 0 });
});

test('a process that stands still for longer than its place would last has nothing, and the next one is served', async () => {
  const file = ownFile();
  const { locks, provider } = await party(file, { waiterTtl });
  const held = await locks.acquire('job', { ttl });
  const served = await standing(file, provider, 2 * waiterTtl);
  const waits = locks.acquire('job', { ttl });
  const { line } = await inLine(provider, 2);
  await held.release();
  expect(holderOf(await provider.inspect('job'))).toBe(line?.[0]?.owner);
  const lease = await waits;
  expect([lease.owner, served()]).toEqual([line?.[1]?.owner, '']);
  await inLine(provider, 1);
  expect(lease.held).toBe(true);
  await lease.release();
  await eventually('the work of the first in line', () => served() === 'first\n');
});

test('a claim that gives up frees what it was given, which was no hold of it', async () => {
  const file = ownFile();
  const { provider } = await party(file, { waiterTtl });
  const claim = (owner: string) => ({ key: 'job', owner, ttl, mode: 'exclusive' }) as const;
  expect(await provider.tryAcquire(claim('holder'))).toMatchObject({ granted: true });
  for (const owner of ['first', 'second']) {
    expect(await provider.tryAcquire(claim(owner), () => {})).toMatchObject({ granted: false });
  }
  expect(await provider.release(claim('holder'))).toBe(true);
  expect(holderOf(await provider.inspect('job'))).toBe('first');
  expect(await provider.release(claim('first'))).toBe(false);
  expect(holderOf(await provider.inspect('job'))).toBe('second');
});

test('a floor that was raised meanwhile gives the grant another token, until an attempt was answered with it', async () => {
  const file = ownFile();
  const { provider } = await party(file, { waiterTtl });
  const claim = (owner: string, floor = 0n) => ({ key: 'job', owner, ttl, mode: 'exclusive', floor }) as const;
  const held = await provider.tryAcquire(claim('holder'));
  await provider.tryAcquire(claim('waiter'), () => {});
  await provider.release(claim('holder'));
  const floor = (held.granted ? held.token : 0n) + 1_000_000_000n;
  const granted = await provider.tryAcquire(claim('waiter', floor), () => {});
  expect(granted).toMatchObject({ granted: true, token: floor + 1n });
  const again = await provider.tryAcquire(claim('waiter', floor + 10n));
  expect(again).toMatchObject({ granted: true, token: floor + 1n });
});

test('shared claims, short ttls and lines that are not fair are told, and try', async () => {
  const file = ownFile();
  const wakes: string[] = [];
  for (const [fair, mode, length] of [
    [true, 'shared', ttl],
    [true, 'exclusive', waiterTtl / 2 - 1],
    [false, 'exclusive', ttl],
  ] as const) {
    const key = `${fair} ${mode} ${length}`;
    const { provider } = await party(file, { waiterTtl, fair });
    await provider.tryAcquire({ key, owner: 'holder', ttl, mode: 'exclusive' });
    await provider.tryAcquire({ key, owner: 'waiter', ttl: length, mode }, () => wakes.push(key));
    await provider.release({ key, owner: 'holder', ttl, mode: 'exclusive' });
    expect(await provider.inspect(key)).toMatchObject({ holders: [], waiters: 1 });
    await eventually('a wake', () => wakes.includes(key));
  }
});

test('forty claims of four processes hold one key in turn, and no token goes back', async () => {
  const file = ownFile();
  const parties = await Promise.all(Array.from({ length: 4 }, () => party(file, { waiterTtl })));
  const tokens: bigint[] = [];
  let holders = 0;
  const work = async (lease: Lease): Promise<void> => {
    holders += 1;
    expect(holders).toBe(1);
    tokens.push(lease.token);
    await new Promise((resolve) => setImmediate(resolve));
    holders -= 1;
  };
  const all = parties.flatMap(({ provider }) => {
    const locks = createLocks(provider, { ttl });
    return Array.from({ length: 10 }, () => locks.withLock('job', work));
  });
  await Promise.all(all);
  expect(tokens).toHaveLength(40);
  expect(tokens).toEqual(tokens.toSorted((one, other) => (one < other ? -1 : 1)));
});
