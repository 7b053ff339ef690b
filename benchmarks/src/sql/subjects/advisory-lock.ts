import advisoryLock from 'advisory-lock';
import type { SqlSubject } from './subject.ts';

/**
 * Session locks, without an expiry: each has a connection that is opened for it, and waits in the
 * server.
 */
export const advisory: SqlSubject = {
  name: 'advisory-lock',
  async open({ url }) {
    const createMutex = advisoryLock.default(url);
    return {
      async acquire(key) {
        const unlock = await createMutex(key).lock();
        return { release: unlock };
      },
      // Its connections end with its locks, or with the process.
      close: async () => {},
    };
  },
};
