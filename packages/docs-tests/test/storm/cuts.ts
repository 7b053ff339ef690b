import { createLocks } from '@locks/core';
import { createRandom } from '@locks/core/testing';
import type { LockState, Locks } from '@locks/core';
import type { Proxy } from '@locks/conformance/faults';
import { eventually } from '@locks/test-servers';
import { expect, onTestFinished } from 'vitest';
import { startStore } from '../support/stores.ts';
import type { Store, StoreName } from '../support/stores.ts';
import { proxyOf } from './setting.ts';

const claims = 400;
const ttl = 5_000;
const wait = 4_000;
/** Each call settles within its wait and the timeouts of its provider, also on a busy machine. */
const longest = 20_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Rounds of cuts while 400 calls are under way. After each round nothing is pending, and each line
 * is empty.
 */
export async function storm(name: StoreName, rounds: number): Promise<void> {
  const store = await startStore(name);
  onTestFinished(() => store.stop());
  const proxy = await proxyOf(store.url);
  const direct = await open(store, store.url);
  const cut = await open(store, proxy.url(store.url));
  for (let seed = 1; seed <= rounds; seed += 1) {
    await claimRound(direct, cut, proxy, seed);
    await releaseRound(direct, cut, proxy, seed);
  }
}

async function open(store: Store, url: string): Promise<Locks> {
  const locks = createLocks(await store.open(url), { closeProvider: true, ttl, closeTimeout: 2_000 });
  onTestFinished(() => locks.close());
  return locks;
}

/** Attempts on free and on held keys, aborts, and releases one after another. */
async function claimRound(direct: Locks, cut: Locks, proxy: Proxy, seed: number): Promise<void> {
  const random = createRandom(seed);
  const keys = Array.from({ length: claims }, (_, index) => `${seed}/${index}`);
  // Every fourth key is held, so that its claim is in line.
  const holds = await Promise.all(keys.filter((_, index) => index % 4 === 0).map((key) => direct.acquire(key)));
  const heal = proxy.delay(Math.ceil(random() * 40));
  const taken = keys.map(async (key) => {
    const lease = await cut.acquire(key, { wait, signal: AbortSignal.timeout(Math.ceil(random() * 2 * wait)) });
    return await lease.release();
  });
  const settled = Promise.allSettled(taken);
  for (let cuts = 0; cuts < 3; cuts += 1) {
    await pause(random() * 60);
    await proxy.cut();
  }
  heal();
  await Promise.all(holds.map((lease) => lease.release()));
  await expectSettled(direct, settled, keys, `of claims, seed ${seed}`);
}

/** Releases in one tick. */
async function releaseRound(direct: Locks, cut: Locks, proxy: Proxy, seed: number): Promise<void> {
  const random = createRandom(seed);
  const keys = Array.from({ length: claims }, (_, index) => `${seed}/release/${index}`);
  const leases = await Promise.all(keys.map((key) => cut.acquire(key, { ttl: 60_000 })));
  const heal = proxy.delay(40);
  const settled = Promise.allSettled(leases.map((lease) => lease.release()));
  await pause(5 + random() * 20);
  await proxy.cut();
  heal();
  await expectSettled(direct, settled, keys, `of releases, seed ${seed}`);
}

async function expectSettled(
  direct: Locks,
  settled: Promise<unknown>,
  keys: readonly string[],
  round: string,
): Promise<void> {
  const late = new Promise<'pending'>((resolve) => setTimeout(resolve, longest, 'pending').unref());
  expect(await Promise.race([settled, late]), `calls ${round}`).not.toBe('pending');
  let left: readonly LockState[] = [];
  await eventually(`empty lines ${round}`, async () => {
    const states = await Promise.all(keys.map((key) => direct.inspect(key)));
    left = states.filter(({ holders, waiters }) => holders.length + waiters > 0);
    return left.length === 0;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)} Left: ${left.length}, such as ${JSON.stringify(left[0])}`);
  });
}
