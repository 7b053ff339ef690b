import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { createClient } from 'redis';
import { raw, rawParty } from '../redis/subjects/raw.ts';
import { ttl } from '../subjects/party.ts';
import type { Party } from '../subjects/party.ts';
import type { MeasuredClient } from './client.ts';

function over(client: Parameters<typeof createRedisProvider>[0]): Party {
  const locks = createLocks(createRedisProvider(client), { ttl });
  return { acquire: (key) => locks.acquire(key) };
}

export const redisClients: readonly MeasuredClient[] = [
  {
    name: 'ioredis',
    async open(url) {
      const client = new Redis(url);
      return { raw: raw.open(client, { retryDelay: undefined }), ours: over(client), close: () => client.quit() };
    },
  },
  {
    name: 'iovalkey',
    async open(url) {
      const client = new Valkey(url);
      const commands = rawParty({
        load: (script) => client.script('LOAD', script),
        take: (key, owner, ms) => client.set(key, owner, 'PX', ms, 'NX'),
        free: (digest, key, owner) => client.evalsha(digest, 1, key, owner),
      });
      return { raw: commands, ours: over(client), close: () => client.quit() };
    },
  },
  {
    name: 'node-redis',
    async open(url) {
      const client = createClient({ url });
      client.on('error', () => {});
      await client.connect();
      const commands = rawParty({
        load: (script) => client.scriptLoad(script),
        take: (key, owner, ms) => client.set(key, owner, { expiration: { type: 'PX', value: ms }, condition: 'NX' }),
        free: (digest, key, owner) => client.evalSha(digest, { keys: [key], arguments: [owner] }),
      });
      return { raw: commands, ours: over(client), close: () => client.close() };
    },
  },
];
