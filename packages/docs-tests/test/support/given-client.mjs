// A process that closes its locks and its own client, but not the provider. It has waited, so that
// the provider has listened: `node given-client.mjs <kind> <url>`.
import { createLocks } from '@locks/core';

const [kind, url] = process.argv.slice(2);

const kinds = {
  async ioredis() {
    const { Redis } = await import('ioredis');
    const { createRedisProvider } = await import('@locks/redis');
    const client = new Redis(url);
    return { provider: createRedisProvider(client), end: () => client.quit() };
  },
  async redis() {
    const { createClient } = await import('redis');
    const { createRedisProvider } = await import('@locks/redis');
    const client = await createClient({ url }).connect();
    return { provider: createRedisProvider(client), end: () => client.close() };
  },
  async pg() {
    const { default: pg } = await import('pg');
    const { createSqlProvider, migrateTables } = await import('@locks/sql');
    const pool = new pg.Pool({ connectionString: url });
    await migrateTables(pool);
    return { provider: createSqlProvider(pool), end: () => pool.end() };
  },
};

const { provider, end } = await kinds[kind]();
const locks = createLocks(provider);
const lease = await locks.acquire('job');
const next = locks.acquire('job');
setTimeout(() => void lease.release(), 200);
await (await next).release();
await locks.close();
await end();
console.log('the end');
