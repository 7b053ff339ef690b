import { createLocks, openLocks } from '@locks/core';
import { createZookeeperProvider } from '@locks/zookeeper';
import { createClient } from 'node-zookeeper-client';

const [address] = process.argv.slice(2);

/** Two takes of one key: the second one waits. */
async function taken(locks) {
  const first = await locks.acquire('job');
  const next = locks.acquire('job');
  const released = await first.release();
  const second = await next;
  console.log(released, second.token > first.token);
  await second.release();
  await locks.close();
}

await taken(await openLocks(`zookeeper://${address}?acl=open`));
const provider = createZookeeperProvider({ client: () => createClient(address), acl: 'open' });
await taken(createLocks(provider));
await provider.close();
