import { randomUUID } from 'node:crypto';
import PGMutexLock from 'pg-mutex-lock';
import type { SqlSubject } from './subject.ts';
import { connections } from './subject.ts';

/**
 * Session locks, without an expiry. Each of its objects is one connection, so it gets as many as
 * the others have; it polls each 100 ms.
 */
export const pgMutexLock: SqlSubject = {
  name: 'pg-mutex-lock',
  async open({ url }) {
    const { hostname: host, port, username, password, pathname } = new URL(url);
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    const database = { host, port: Number(port), user, password: secret, database: pathname.slice(1) };
    const mutexes = Array.from({ length: connections }, () => new PGMutexLock.default({ database, timeout: Infinity }));
    // Several locks of one connection are waited for at the same time, of which pg warns.
    process.noDeprecation = true;
    // One that is ended before it has connected writes to the console.
    await Promise.all(mutexes.map((mutex) => mutex.acquireLock(randomUUID())));
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
