// A process that holds a key and also waits for it: forked by a test, which kills it.
import { setTimeout } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

const [, , url, prefix, mode, ttl] = process.argv;
const provider = createRedisProvider(new Redis(url), { prefix });
const locks = createLocks(provider);
// A child that gets no time keeps it meanwhile.
const { owner } = await locks.acquire('job', { mode, ttl: 60_000 });
for (let waiters = 0; waiters < 2; waiters += 1) void locks.acquire('job');
while ((await locks.inspect('job')).waiters < 2) await setTimeout(5);
await provider.renew({ key: 'job', owner, mode, ttl: Number(ttl) });
process.send('waiting');
