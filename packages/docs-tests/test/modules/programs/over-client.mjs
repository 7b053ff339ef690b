// Locks over the one library that the application has, and over a URL where that opens one.
import { createLocks, openLocks } from '@locks/core';
import { createSqlProvider, migrateTables } from '@locks/sql';

const [library, url] = process.argv.slice(2);
const opened = {
  async pg() {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: url });
    return { client: pool, end: () => pool.end() };
  },
  async mysql2() {
    const { createPool } = await import('mysql2/promise');
    const pool = createPool(url);
    return { client: pool, end: () => pool.end() };
  },
  async postgres() {
    const { default: postgres } = await import('postgres');
    const sql = postgres(url);
    return { client: sql, end: () => sql.end() };
  },
};

const { client, end } = await opened[library]();
await migrateTables(client);
const provider = createSqlProvider(client);
const locks = createLocks(provider);
const first = await locks.acquire('job');
const second = locks.acquire('job', { wait: 10_000 });
while ((await locks.inspect('job')).waiters === 0);
await first.release();
const { token } = await second;
await locks.close();
await provider.close();
await end();

try {
  const fromUrl = await openLocks(url);
  console.log(await fromUrl.withLock('job', (lease) => lease.token > token));
  await fromUrl.close();
} catch ({ code, message }) {
  console.log(code, message);
}
