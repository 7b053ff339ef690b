import { createLocks } from '@locks/core';
import type { LockProvider, Locks, LocksOptions } from '@locks/core';
import { onTestFinished } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { GivenClient, RedisOptions } from '../../src/index.ts';

/** A provider over `client` that ends with the test. */
export function providerOver(client: GivenClient, options: RedisOptions = {}): LockProvider {
  const provider = createRedisProvider(client, options);
  onTestFinished(() => provider.close());
  return provider;
}

/** Locks over `client` that end with the test. */
export function locksOver(client: GivenClient, options: RedisOptions = {}, own: LocksOptions = {}): Locks {
  const locks = createLocks(providerOver(client, options), own);
  onTestFinished(() => locks.close());
  return locks;
}

/** Locks that `opening` gives, which end with the test. */
export async function opened(opening: Promise<Locks>): Promise<Locks> {
  const locks = await opening;
  onTestFinished(() => locks.close());
  return locks;
}

/** What `starting` gives, a server or a proxy, which stops with the test. */
export async function stopAfterTest<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(() => started.stop());
  return started;
}
