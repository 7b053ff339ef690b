import { lockObjects, printTable, runConformance } from '@locks/conformance';
import type { ConformanceReport } from '@locks/conformance';
import { combine, migrate } from '@locks/composites';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { providerNames, writeTable } from '../support/object-table.ts';
import type { Row, ProviderName } from '../support/object-table.ts';
import { startStore } from '../support/stores.ts';
import type { Store, StoreName } from '../support/stores.ts';

/** How to make a provider of each of them, on a store of the test's own. */
const makers: Readonly<Record<ProviderName, () => Promise<() => LockProvider | Promise<LockProvider>>>> = {
  async memory() {
    const store = createMemoryStore({ waiterTtl: 3_000 });
    return () => createMemoryProvider({ store });
  },
  Redis: async () => (await own('redis')).open,
  Postgres: async () => (await own('postgres')).open,
  MariaDB: async () => (await own('mariadb')).open,
  SQLite: async () => (await own('sqlite')).open,
  ZooKeeper: async () => (await own('zookeeper')).open,
  async 'quorum of three Redis'() {
    const stores = await Promise.all([own('redis'), own('redis'), own('redis')]);
    return async () => combine(await Promise.all(stores.map((store) => store.open())));
  },
  async 'migration from Redis to Postgres, `both`'() {
    const [redis, postgres] = await Promise.all([own('redis'), own('postgres')]);
    return async () => {
      const [from, to] = await Promise.all([redis.open(), postgres.open()]);
      // Longer than any ttl of the suite, so that none is cut.
      return migrate({ name: 'objects', from, to, phase: 'both', presenceTtl: '3m', memberTimeout: '2s' });
    };
  },
};

/** One of them. `LOCKS_OBJECTS=all`: each, and docs/objects/providers.md is written anew. */
const everything = process.env['LOCKS_OBJECTS'] === 'all';
const chosen: readonly ProviderName[] = everything ? providerNames : ['Redis'];
/** Objects at once. With more, a database has too few connections, and a busy machine is late. */
const lanes = 2;
const rows: Row[] = [];

test.each(chosen)('%s carries the objects that its traits allow', { timeout: 300_000 }, async (name) => {
  const create = await makers[name]();
  const reports: ConformanceReport[] = [];
  const left = lockObjects.map((object) => object.name);
  const lane = async (): Promise<void> => {
    for (let object = left.shift(); object !== undefined; object = left.shift()) {
      reports.push(await runConformance({ name: object, create, object }));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const failed = reports.filter(({ results }) => results.some(({ status }) => status === 'failed'));
  for (const report of failed) console.log(printTable(report));
  expect(failed.map((report) => report.name)).toEqual([]);
  const passed = reports.map((report) => {
    return [report.name, report.results.filter(({ status }) => status === 'passed').length] as const;
  });
  const [{ traits }] = reports as [ConformanceReport];
  rows.push({ name, traits, passed: Object.fromEntries(passed) });
});

afterAll(() => {
  if (everything && rows.length === providerNames.length) writeTable(rows);
});

async function own(name: StoreName): Promise<Store> {
  const store = await startStore(name);
  onTestFinished(() => store.stop());
  return store;
}
