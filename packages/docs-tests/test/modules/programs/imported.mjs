import { createRequire } from 'node:module';
import { openLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';

const locks = await openLocks(process.env.STORE);
console.log(await locks.withLock('imported', (lease) => typeof lease.token));
await locks.close();
const require = createRequire(import.meta.url);
console.log(
  require('@locks/core').openLocks === openLocks,
  require('@locks/redis').createRedisProvider === createRedisProvider,
);
