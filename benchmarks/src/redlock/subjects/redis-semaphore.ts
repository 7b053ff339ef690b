import { RedlockMutex } from 'redis-semaphore';
import { retrySettings } from '../../redis/subjects/retry-settings.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

export const redisSemaphore: Subject = {
  open(clients, { retryDelay }) {
    const { acquireTimeout, retryInterval } = retrySettings.redisSemaphore;
    const options = { lockTimeout: ttl, acquireTimeout, retryInterval: retryDelay ?? retryInterval };
    return {
      async acquire(key) {
        const mutex = new RedlockMutex([...clients], key, options);
        await mutex.acquire();
        return mutex;
      },
    };
  },
};
