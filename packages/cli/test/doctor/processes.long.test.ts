import { openLocks } from '@locks/core';
import type { LocksConfig } from '@locks/core';
import { connectionName } from '@locks/core/adapter';
import { startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { doctor } from './support.ts';

interface Store {
  readonly name: string;
  readonly start: () => Promise<ServerHandle>;
  readonly options?: Readonly<Record<string, unknown>>;
}

const redis = (library: string): Store => ({ name: `Redis, over ${library}`, start: startRedis, options: { library } });
const migrate = { migrate: true };
const tells = { args: ['--performance-schema=ON'] };

const naming: readonly Store[] = [
  ...['ioredis', 'iovalkey', 'redis'].map(redis),
  { name: 'Postgres', start: startPostgres, options: migrate },
  { name: 'MariaDB', start: () => startMariadb(tells), options: migrate },
  { name: 'ZooKeeper', start: startZookeeper, options: { acl: 'open' } },
];

async function startStore({ start, options = {} }: Store): Promise<LocksConfig> {
  const { url, stop } = await start();
  onTestFinished(async () => await stop());
  return { url, options };
}

/** What doctor says of the processes, at each store. */
async function said(store: object): Promise<readonly string[]> {
  const { findings } = await doctor(store);
  return findings.filter(({ check }) => check === 'processes').map(({ what }) => what);
}

const none = 'No other process that uses this library is connected.';
const one = `1 other process that uses this library: ${connectionName()}.`;

test.each(naming)('on $name doctor sees a process that holds no lock', async (kind) => {
  const store = await startStore(kind);
  const locks = await openLocks(store);
  expect(await said(store)).toEqual([one]);
  await locks.close();
  await expect.poll(() => said(store)).toEqual([none]);
});

test('of a process that takes locks in two stores doctor finds the name in both, of an old one in one', async () => {
  const [first, second] = await Promise.all([startStore(redis('ioredis')), startStore(redis('redis'))]);
  const both = { provider: 'combine', options: { members: [first, second], need: 'all' } };
  const locks = await openLocks(both);
  const old = await openLocks({ ...first, options: { connectionName: 'locks:old:7' } });
  const two = `2 other processes that use this library: ${[connectionName(), 'locks:old:7'].toSorted().join(', ')}.`;
  expect(await said(both)).toEqual([two, one]);
  await old.close();
  await expect.poll(() => said(both)).toEqual([one, one]);
  await locks.close();
});

test('where MariaDB does not tell, that is unknown', async () => {
  const store = await startStore({ name: 'MariaDB', start: startMariadb, options: migrate });
  expect(await said(store)).toEqual(['The check failed: performance_schema is off']);
});
