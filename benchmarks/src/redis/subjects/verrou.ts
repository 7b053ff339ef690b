import { LockFactory } from '@verrou/core';
import { RedisStore } from '@verrou/core/drivers/redis';
import { retrySettings } from './retry-settings.ts';
import { ttl } from '../../party.ts';
import type { Subject } from './subject.ts';

export const verrou: Subject = {
  name: 'verrou',
  open(client, { retryDelay }) {
    const factory = new LockFactory(new RedisStore({ connection: client }), {
      retry: { delay: retryDelay ?? retrySettings.verrou.delay },
    });
    return {
      async acquire(key) {
        const lock = factory.createLock(key, ttl);
        if (!(await lock.acquire())) throw new Error('verrou did not acquire the lock');
        return lock;
      },
    };
  },
};
