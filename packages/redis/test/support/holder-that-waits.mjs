// A process that holds a key and also waits for it: forked by a test, which kills it.
import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

const [, , url, prefix, mode, ttl] = process.argv;
const locks = createLocks(createRedisProvider(new Redis(url), { prefix }));
await locks.acquire('job', { mode, ttl: Number(ttl) });
for (let waiters = 0; waiters < 2; waiters += 1) void locks.acquire('job');
const timer = setInterval(async () => {
  if ((await locks.inspect('job')).waiters < 2) return;
  clearInterval(timer);
  process.send('waiting');
}, 5);
