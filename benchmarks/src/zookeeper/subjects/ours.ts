import { createLocks } from '@locks/core';
import { createZookeeperProvider } from '@locks/zookeeper';
import { watchPlaces } from '../../subjects/places.ts';
import { hostsOf, sessionTimeout } from '../client.ts';
import type { ZookeeperSubject } from './subject.ts';

/**
 * As the README shows it, with default options: fencing tokens, a fair line, a session that is
 * looked after.
 */
export const ours: ZookeeperSubject = {
  name: '@locks',
  async open(url) {
    // Nodes that every client may change, as those of all other subjects.
    const locks = createLocks(createZookeeperProvider({ servers: hostsOf(url), sessionTimeout, acl: 'open' }));
    return {
      acquire: (key) => locks.acquire(key),
      watchPlaces,
      close: () => locks.close(),
    };
  },
};
