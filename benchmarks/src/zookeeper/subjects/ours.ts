import { createLocks } from '@locks/core';
import { createZookeeperProvider } from '@locks/zookeeper';
import { watchPlaces } from '../../subjects/places.ts';
import { hostsOf, sessionTimeout } from '../client.ts';
import type { ZookeeperSubject } from './subject.ts';

/** As in the README, with default options: fencing tokens, a fair queue, a monitored session. */
export const ours: ZookeeperSubject = {
  name: '@locks',
  async open(url) {
    // Nodes that every client may change, as in all other subjects.
    const locks = createLocks(createZookeeperProvider({ servers: hostsOf(url), sessionTimeout, acl: 'open' }));
    return {
      acquire: (key) => locks.acquire(key),
      watchPlaces,
      close: () => locks.close(),
    };
  },
};
