import { createRequire } from 'node:module';
import { ttl } from '../../subjects/party.ts';
import { closeClient, connectClient, makePath } from '../client.ts';
import type { ZookeeperSubject } from './subject.ts';

const area = '/distributed_lock';

/**
 * An ephemeral sequential node under a parent for each key, created before and removed after; it
 * watches the previous one. Its service is assembled here from its own parts: the class that does
 * so always connects to 127.0.0.1:2181, with a client of 2014.
 */
export const distributedLock: ZookeeperSubject = {
  name: 'distributed-lock',
  async open(url) {
    silence();
    const { default: parts } = await import('distributed-lock');
    const client = await connectClient(url);
    await makePath(client, area);
    const service = Object.assign(new parts.DistributedLockService(), {
      // Without a limit to the time that it waits.
      [Symbol.for('config')]: { ReentrantLock: parts.ZKDistributedReentrantLock, area, lockAwait: 0 },
      [Symbol.for('client')]: client,
    });
    return {
      async acquire(key) {
        const lock = await service.lock(encodeURIComponent(key), ttl);
        return { release: () => service.unlock(lock) };
      },
      async close() {
        // Its waiters learn that their watch has ended, and check. It catches none of their errors.
        process.on('unhandledRejection', () => {});
        await closeClient(client);
      },
    };
  },
};

/**
 * Its logger runs the first `logger.js` that it finds below the working folder, and writes a file
 * beside that folder, with a stack for each line. It is replaced by a no-op, which makes it faster
 * than it is.
 */
function silence(): void {
  const require = createRequire(import.meta.url);
  const path = createRequire(require.resolve('distributed-lock')).resolve('tracer-logger');
  const nothing = (): void => {};
  require.cache[path] = Object.assign(Object.create(null) as NodeJS.Module, {
    id: path,
    filename: path,
    loaded: true,
    exports: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
}
