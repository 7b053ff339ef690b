import { createLocks } from '@locks/core';
import { createZookeeperProvider } from '@locks/zookeeper';
import type { ZookeeperProviderOptions } from '@locks/zookeeper';
import { createClient } from 'node-zookeeper-client';
import { hostsOf, sessionTimeout } from '../zookeeper/client.ts';
import { raw } from '../zookeeper/subjects/raw.ts';
import type { MeasuredClient } from './client.ts';

function measured(name: string, options: (hosts: string) => ZookeeperProviderOptions): MeasuredClient {
  return {
    name,
    async open(url) {
      const party = await raw.open(url);
      const locks = createLocks(createZookeeperProvider(options(hostsOf(url))));
      return {
        raw: party,
        ours: { acquire: (key) => locks.acquire(key) },
        async close() {
          await party.close();
          await locks.close();
        },
      };
    },
  };
}

export const zookeeperClients: readonly MeasuredClient[] = [
  measured('node-zookeeper-client', (hosts) => ({
    client: () => createClient(hosts, { sessionTimeout }),
    acl: 'open',
  })),
  measured('our own transport', (hosts) => ({ servers: hosts, sessionTimeout, acl: 'open' })),
];
