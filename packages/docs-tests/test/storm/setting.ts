import type { Proxy } from '@locks/conformance/faults';
import { createLocks } from '@locks/core';
import type { LockProvider, Locks } from '@locks/core';
import { onTestFinished } from 'vitest';
import { proxied } from '../support/proxied.ts';
import { startStore } from '../support/stores.ts';
import { busyFile } from './busy-file.ts';
import type { Way } from './ways.ts';

export const ttl = 1_500;

/** What happens between the clients and their store. Each is ended after some time. */
export type Faults = readonly (() => () => void | Promise<void>)[];

/** What a storm has. */
export interface Setting {
  /** The provider behind the faults, which two `Locks` share. */
  readonly provider: LockProvider;
  /** Another process, without faults. */
  readonly direct: Locks;
  readonly faults: Faults;
}

/** A store, over one client. */
export async function settingOf(way: Way): Promise<Setting> {
  const store = await startStore(way.store);
  onTestFinished(() => store.stop());
  const direct = createLocks(await store.open(), { closeProvider: true, ttl });
  onTestFinished(() => direct.close());
  if (way.store === 'sqlite') {
    // Nothing is on its way there. A call finds the file busy instead.
    const { provider, end } = await way.open(store.url, store);
    onTestFinished(async () => void (await end()));
    return { provider, direct, faults: [busyFile(store.url)] };
  }
  const { url, proxies } = await proxied(store.url);
  const { provider, end } = await way.open(url, store);
  onTestFinished(async () => void (await end()));
  return { provider, direct, faults: proxies.flatMap(faultsOf) };
}

/** A majority of three Redis servers, each of which has faults of its own. */
export async function settingOfQuorum(): Promise<Setting> {
  const store = await startStore('quorum');
  onTestFinished(() => store.stop());
  const { url, proxies } = await proxied(store.url);
  const provider = await store.open(url, { memberTimeout: 500, timeout: 2_000 });
  onTestFinished(() => provider.close());
  const direct = createLocks(await store.open(), { closeProvider: true, ttl });
  onTestFinished(() => direct.close());
  return { provider, direct, faults: proxies.flatMap(faultsOf) };
}

function faultsOf(proxy: Proxy): Faults {
  const cut = (): (() => void) => {
    void proxy.cut();
    return () => {};
  };
  const outage = (): (() => void) => {
    const admit = proxy.refuse();
    void proxy.cut();
    return admit;
  };
  return [
    () => proxy.stall('requests'),
    () => proxy.stall('requests'),
    () => proxy.stall(),
    () => proxy.hold('requests'),
    () => proxy.hold('replies'),
    () => proxy.silence(),
    outage,
    outage,
    cut,
  ];
}
