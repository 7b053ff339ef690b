import PGMutexLock from 'pg-mutex-lock';
import type { SqlSubject } from './subject.ts';
import { connections } from './subject.ts';

/** Session locks, without an expiry. Each of its objects is one connection, so it gets as many as the others have; it polls each 100 ms. */
export const pgMutexLock: SqlSubject = {
  name: 'pg-mutex-lock',
  async open({ url }) {
    const { hostname: host, port, username: user, password, pathname } = new URL(url);
    const database = { host, port: Number(port), user, password, database: pathname.slice(1) };
    const mutexes = Array.from({ length: connections }, () => new PGMutexLock.default({ database, timeout: Infinity }));
    let count = 0;
    return {
      async acquire(key) {
        const mutex = mutexes[count++ % connections];
        if (mutex === undefined) throw new Error('there is no connection');
        await mutex.acquireLock(key);
        return { release: () => mutex.releaseLock(key) };
      },
      async close() {
        await Promise.all(mutexes.map((mutex) => mutex.end()));
      },
    };
  },
};
