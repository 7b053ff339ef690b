import { createLocks } from '@locks/core';
import { createZookeeperProvider } from '@locks/zookeeper';
import zookeeper from 'node-zookeeper-client';
import type { Target } from '../messages.ts';
import type { Opened } from '../opened.ts';

/** Locks over clients that the application makes, one for each session. */
export function openOwn({ url = '', ttl, options }: Target): Opened {
  const servers = url.replace('zookeeper://', '');
  const { sessionTimeout, ...others } = options as { readonly sessionTimeout: number };
  const provider = createZookeeperProvider({
    ...others,
    client: () => zookeeper.createClient(servers, { sessionTimeout, spinDelay: 50 }),
  });
  const locks = createLocks(provider, { ttl });
  return {
    locks,
    async close() {
      await locks.close();
      await provider.close();
    },
  };
}
