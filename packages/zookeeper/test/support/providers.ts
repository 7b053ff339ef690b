import { createLocks } from '@locks/core';
import type { Claim, LockProvider, Locks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { createClient } from 'node-zookeeper-client';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { assembleProvider } from '../../src/create-provider.ts';
import { createZookeeperProvider } from '../../src/index.ts';
import type { ZookeeperOptions, ZookeeperProvider } from '../../src/index.ts';
import { readZookeeperOptions } from '../../src/options/options.ts';
import type { SessionProvider } from '../../src/provider.ts';
import type { Make } from './conformance.ts';
import { serversOf } from './servers.ts';
import type { Place } from './servers.ts';

/** A provider of one server, whose nodes are open. It is closed at the end of the test. */
export function openProvider(at: Place | string, options: ZookeeperOptions = {}): ZookeeperProvider {
  const servers = typeof at === 'string' ? at : serversOf(at);
  const provider = createZookeeperProvider({ servers, acl: 'open', ...options });
  onTestFinished(() => provider.close());
  return provider;
}

/** Locks over such a provider, closed before it. */
export function ownLocks(at: Place | string, options?: ZookeeperOptions): Locks {
  const locks = createLocks(openProvider(at, options));
  onTestFinished(() => locks.close());
  return locks;
}

/** As `openProvider`, with what guards use. Folders go that are not used for `idle` ms. */
export function openSessionProvider(place: Place, options: ZookeeperOptions = {}, idle?: number): SessionProvider {
  const read = readZookeeperOptions({ servers: serversOf(place), acl: 'open', ...options });
  const provider = assembleProvider(read, systemRuntime, idle);
  onTestFinished(() => provider.close());
  return provider;
}

/** A claim of its own. */
export function claimOf(key: string, more: Partial<Claim> = {}): Claim {
  return { key, owner: randomUUID(), mode: 'exclusive', ttl: 10_000, ...more };
}

/** Takes a free key, and gives it back. */
export async function pair(provider: LockProvider, claim: Claim): Promise<void> {
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await provider.release(claim)).toBe(true);
}

/** A provider over `node-zookeeper-client`, with the servers and the session of `options`. */
export const overClient: Make = ({ servers, sessionTimeout = 6_000, ...options }): ZookeeperProvider =>
  createZookeeperProvider({
    ...options,
    client: () => createClient(servers, { sessionTimeout: Number(sessionTimeout), spinDelay: 50 }),
  });

/** What carries the session of a provider. */
export const carriers: readonly (readonly [string, Make])[] = [
  ['our own transport', createZookeeperProvider],
  ['node-zookeeper-client', overClient],
];
