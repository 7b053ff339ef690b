import { LockFactory } from '@verrou/core';
import { knexStore } from '@verrou/core/drivers/knex';
import { ttl } from '../../party.ts';
import { retrySettings } from '../../redis/subjects/retry-settings.ts';
import { openKnex } from './knex.ts';
import type { SqlSubject } from './subject.ts';

/** With its knex store, and the table as it creates it. */
export const verrou: SqlSubject = {
  name: 'verrou',
  async open({ url, retryDelay }) {
    const connection = openKnex(url);
    const factory = new LockFactory(knexStore({ connection }).factory(), {
      retry: { delay: retryDelay ?? retrySettings.verrou.delay },
    });
    return {
      async acquire(key) {
        const lock = factory.createLock(key, ttl);
        if (!(await lock.acquire())) throw new Error('verrou did not acquire the lock');
        return lock;
      },
      close: () => connection.destroy(),
    };
  },
};
