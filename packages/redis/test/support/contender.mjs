// A process of its own that contends for one key: forked by tests, told what to do by message.
import { once } from 'node:events';
import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

process.send('ready');
const [{ url, prefix, key, workers, rounds }] = await once(process, 'message');

const client = new Redis(url);
const locks = createLocks(createRedisProvider(client, { prefix }));
const tokens = [];
const contend = async () => {
  for (let round = 0; round < rounds; round += 1) {
    await locks.withLock(key, (lease) => void tokens.push(String(lease.token)));
  }
};
await Promise.all(Array.from({ length: workers }, contend));
process.send({ tokens });

await locks.close();
await client.quit();
process.disconnect();
