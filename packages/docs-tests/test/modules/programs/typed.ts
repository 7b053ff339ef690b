import { createLocks, createMemoryProvider, isLockError, subscribe } from '@locks/core';
import type { Lease, LockError, Locks } from '@locks/core';
import { misconfigured } from '@locks/core/adapter';
import { createVirtualRuntime } from '@locks/core/testing';
import { combine } from '@locks/composites';
import { fromConfig } from '@locks/composites/combine';
import '@locks/composites/register';
import { runConformance } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/node-test';
import { createRedisProvider } from '@locks/redis';
import '@locks/redis/register';
import { createSqlProvider } from '@locks/sql';
import '@locks/sql/register';
import { createZookeeperProvider } from '@locks/zookeeper';
import '@locks/zookeeper/register';

async function main(): Promise<void> {
  const locks: Locks = createLocks(createMemoryProvider());
  const lease: Lease = await locks.acquire('typed');
  await lease.release();
  await locks.close();
  const error: LockError = misconfigured('one entry', 'has the error of another');
  // @locks/zookeeper adds this channel to those of @locks/core.
  const stop = subscribe('locks:session', (message) => message);
  stop();
  // @ts-expect-error there is no such channel
  subscribe('locks:no-such-channel', (message) => message)();
  const conformance = [runConformance, conformanceTests, createVirtualRuntime];
  const providers = [combine, fromConfig, createRedisProvider, createSqlProvider, createZookeeperProvider];
  console.log(
    [...conformance, ...providers].every((each) => typeof each === 'function'),
    isLockError(error),
  );
}

void main();
