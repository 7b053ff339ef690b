const { openLocks } = require('@locks/core');
const { createRedisProvider } = require('@locks/redis');

async function main() {
  const locks = await openLocks(process.env.STORE);
  console.log(await locks.withLock('required', (lease) => typeof lease.token));
  await locks.close();
  const core = await import('@locks/core');
  const redis = await import('@locks/redis');
  console.log(core.openLocks === openLocks, redis.createRedisProvider === createRedisProvider);
}

void main();
