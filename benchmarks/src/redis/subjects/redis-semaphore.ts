import { Mutex } from 'redis-semaphore';
import { retrySettings } from './retry-settings.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

export const redisSemaphore: Subject = {
  name: 'redis-semaphore',
  open(client, { retryDelay }) {
    const { acquireTimeout, retryInterval } = retrySettings.redisSemaphore;
    const options = { lockTimeout: ttl, acquireTimeout, retryInterval: retryDelay ?? retryInterval };
    return {
      async acquire(key) {
        const mutex = new Mutex(client, key, options);
        await mutex.acquire();
        return mutex;
      },
    };
  },
};
