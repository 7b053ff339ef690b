import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { proxied } from '../support/proxied.ts';
import { startStore, storeNames } from '../support/stores.ts';
import type { Store, StoreName } from '../support/stores.ts';
import { cycle } from './cycles.ts';
import { holdLeases } from './held-leases.ts';
import { nothingLeft, quantile } from './measure.ts';
import { waitForOneKey } from './one-key.ts';
import { partition } from './partitions.ts';
import { plot, report } from './report.ts';

/** The stage `load` has the whole, of each store. */
const whole = process.env['LOCKS_LOAD'] !== undefined;
const all: readonly StoreName[] = ['memory', ...storeNames, 'table', 'quorum'];
const some = whole || process.env['LOCKS_TEST_WHOLE'] !== undefined ? all : ['redis', 'sqlite', 'table'];
const stores = (process.env['LOCKS_TEST_STORES']?.split(',') ?? some) as readonly StoreName[];

/** How many claims have positions for a key that one holds. */
const most: Partial<Record<StoreName, number>> = { sqlite: 1_999, table: 1_999 };

/** In ms: as short as the stores take. An etcd lease lasts 2 s at least. */
const partitionTtl = (name: StoreName): number => (name === 'etcd' ? 2_000 : 1_500);
/** A session is the lease of ZooKeeper. */
const session = { zookeeper: { sessionTimeout: 2_000 } } as Partial<Record<StoreName, { sessionTimeout: number }>>;

async function open(store: Store, url = store.url): Promise<Locks> {
  const locks = createLocks(await store.open(url, patient(store)), { closeProvider: true, closeTimeout: 20_000 });
  onTestFinished(() => locks.close());
  return locks;
}

afterAll(plot);

describe.each(stores)('%s', { timeout: whole ? 3_600_000 : 300_000 }, (name) => {
  async function start(): Promise<Store> {
    const store = await startStore(name);
    onTestFinished(() => store.stop());
    return store;
  }

  test('leases are kept while others of the process contend, through cuts', async () => {
    const store = await start();
    const { url, proxies } = whole || !hasAddress(store) ? { url: store.url, proxies: [] } : await proxied(store.url);
    const extent = whole
      ? {
          leases: 10_000,
          keys: 200,
          waiters: 1_000,
          seconds: Number(process.env['LOCKS_LOAD_SECONDS'] ?? 600),
          ttl: 60_000,
        }
      : { leases: 500, keys: 20, waiters: 100, seconds: 12, ttl: 15_000 };
    const { heapBefore, heapAfter, faults, lost, ...figures } = await holdLeases(
      await open(store, url),
      extent,
      proxies,
    );
    report('held', name, { lost, faults, heapBefore, heapAfter, ...figures });
    expect(faults).toEqual([]);
    expect(lost).toBe(0);
    expect(heapAfter).toBeLessThan(1.1 * heapBefore + 2e6);
    await nothingLeft(await open(store));
  });

  test('acquire and release leave nothing, in the process and in the store', async () => {
    const store = await start();
    const locks = await open(store);
    const figures = await cycle(locks, store, whole ? 1_000_000 : 10_000);
    report('cycles', name, figures);
    await nothingLeft(locks);
    const { failures, heap } = figures;
    expect(failures).toEqual({});
    expect(quantile(heap.slice(7), 0.5)).toBeLessThan(1.1 * quantile(heap.slice(1, 4), 0.5) + 2e6);
  });

  test('thousands wait for one key, and are served in order', async () => {
    const store = await start();
    const count = whole ? 5_000 : 500;
    const [here, there] = [await open(store), await open(store)];
    const figures = await waitForOneKey(here, there, count, most[name]);
    report('one key', name, figures);
    const { positions, ends, inversions } = figures;
    expect(positions).toBe(Math.min(count, most[name] ?? count));
    expect(ends).toEqual({ served: 0.8 * count, 'given up': 0.1 * count, LOCK_TIMEOUT: 0.1 * count });
    // etcd serves the requests of one connection side by side. A position that lapsed while the
    // process stood still is taken anew, at the end of the queue.
    if (positions === count && name !== 'etcd') expect(inversions).toBeLessThan(count / 50);
    await nothingLeft(there);
  });
});

test.each(stores.filter((name) => name !== 'memory' && name !== 'sqlite'))(
  '%s: the holder is told before another is granted, whatever way its connections fall silent',
  { timeout: whole ? 3_600_000 : 300_000 },
  async (name) => {
    const store = await startStore(name);
    onTestFinished(() => store.stop());
    const found = await partition(store, whole ? 1_000 : 40, partitionTtl(name), session[name]);
    report('partitions', name, { found });
    expect(found.filter(({ late }) => late)).toEqual([]);
  },
);

/** A machine that is overloaded stands still for longer than the short times of other tests. */
function patient({ options }: Store): Readonly<Record<string, number>> {
  const usual = { waiterTtl: 6_000, sessionTimeout: 30_000 };
  return { timeout: 20_000, ...Object.fromEntries(Object.entries(usual).filter(([name]) => name in options)) };
}

function hasAddress({ url }: Store): boolean {
  return /:\d+/.test(url);
}
