import { eventually } from '@locks/test-servers';
import { createPool } from 'mysql2/promise';
import type { PoolConnection, PoolOptions } from 'mysql2/promise';
import { setImmediate as turn } from 'node:timers/promises';
import { Client } from 'pg';
import type { ClientConfig, Pool, PoolConfig } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import type { AnySqlClient } from '../../src/index.ts';
import { connect, databases, servers, withTables } from '../support/databases.ts';
import { proxyTo } from '../support/front.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party } from '../support/locks-over.ts';
import { openPool } from '../support/open-pool.ts';

const [postgres, mariadb] = databases;

const over = (client: AnySqlClient, timeout = 5_000): Party =>
  locksOver(client, { timeout, sweep: false }, { ttl: 5_000, closeTimeout: 1_000 });

test.each<readonly [string, PoolOptions]>([
  ['waitForConnections: false', { waitForConnections: false }],
  ['queueLimit: 1', { queueLimit: 1 }],
])(
  'a pool of mysql2 that refuses instead of waiting (%s) serves more calls than it has connections',
  async (_, options) => {
    const pool = createPool({ uri: (await mariadb?.create()) ?? '', connectionLimit: 3, ...options });
    onTestFinished(() => pool.end());
    await migrateTables(pool);
    const { locks } = over(pool);
    const leases = await Promise.all(Array.from({ length: 20 }, (__, index) => locks.acquire(`job ${index}`)));
    await Promise.all(leases.map((lease) => lease.renew()));
    // The application has all, and then two of them: one is enough.
    const used: PoolConnection[] = [];
    await eventually('all connections for the application', async () => {
      // Until the last one of the renewals is back, the pool refuses.
      await pool.getConnection().then(
        (connection) => used.push(connection),
        () => {},
      );
      return used.length === 3;
    });
    const releases = Promise.all(leases.map((lease) => lease.release()));
    await turn();
    used.pop()?.release();
    expect(await releases).toEqual(leases.map(() => true));
    for (const connection of used) connection.release();
  },
);

test('a pool that refuses is waited for until the call must end, and named then', async () => {
  const pool = createPool({ uri: (await mariadb?.create()) ?? '', connectionLimit: 1, waitForConnections: false });
  onTestFinished(() => pool.end());
  await migrateTables(pool);
  const { provider } = over(pool, 300);
  const used = await pool.getConnection();
  const claim = { key: 'job', owner: 'me/1', ttl: 5_000, mode: 'exclusive' } as const;
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    sent: false,
    message: expect.stringContaining('No connection of the pool became free') as string,
  });
  used.release();
  // The first call that reaches the server may take longer than 300 ms on a busy machine.
  const granted = async (): Promise<boolean> =>
    (await provider.tryAcquire(claim).catch(() => undefined))?.granted === true;
  await eventually('a grant over the connection that is free again', granted);
});

/** A Pool of pg with `max` connections of a class that changes what pg has. */
async function poolOf(change: (connection: Client) => void, options: PoolConfig = {}): Promise<Pool> {
  class Changed extends Client {
    constructor(config?: ClientConfig) {
      super(config);
      change(this);
    }
  }
  const { url } = await withTables(postgres!);
  const pool = openPool({ connectionString: url, max: 2, Client: Changed, ...options });
  onTestFinished(() => pool.end());
  return pool;
}

test.each<readonly [string, (connection: Client) => void, PoolConfig, RegExp]>([
  [
    'without a socket, as that of pg.native',
    (connection) => {
      const later = (done: () => void): void => void setImmediate(done);
      Object.assign(connection, { connection: undefined, connect: later, end: later, ref() {}, unref() {} });
    },
    {},
    /like those of pg\.native; pass a Pool of pg without/,
  ],
  ['of binary answers', () => {}, { binary: true } as PoolConfig, /has option "binary": true/],
])('a Pool of pg %s is named at the first call, and gets its connections back', async (_, change, options, message) => {
  const pool = await poolOf(change, options);
  const { locks } = over(pool);
  for (let round = 0; round < 5; round += 1) {
    await expect(locks.acquire('job')).rejects.toMatchObject(misconfigured(message));
  }
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
});

test('a socket that does not say whether it is readable is used as long as it works', async () => {
  let opened = 0;
  const pool = await poolOf((connection) => {
    opened += 1;
    const { stream } = (connection as unknown as { readonly connection: { readonly stream: object } }).connection;
    Object.defineProperty(stream, 'readable', { value: undefined });
  });
  const { locks } = over(pool);
  for (let round = 0; round < 20; round += 1) await locks.withLock('job', () => {});
  expect(opened).toBeLessThanOrEqual(2);
});

test.each(servers)(
  'a server of $name that refuses connections is asked by one call of the process',
  async (database) => {
    const { url } = await withTables(database);
    const proxy = await proxyTo(url);
    const knex = connect(proxy.url(url), { pool: { min: 0, max: 5 } });
    const { locks } = over(knex);
    const leases = await Promise.all(Array.from({ length: 20 }, (_, index) => locks.acquire(`job ${index}`)));
    const waits = leases.map(({ key }) => locks.acquire(key, { wait: 1_000 }).catch((error: unknown) => error));
    let opened = 0;
    const client = knex.client as { acquireRawConnection(): Promise<unknown> };
    const open = client.acquireRawConnection.bind(client);
    client.acquireRawConnection = () => {
      opened += 1;
      return open();
    };
    await proxy.stop();
    await expect(locks.tryAcquire('another')).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      cause: { message: expect.stringContaining('ECONNREFUSED') as string },
    });
    for (const error of await Promise.all(waits)) expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    // Pauses of 10, 20, 40, … and 500 ms; the listener has pauses of its own.
    expect(opened).toBeLessThan(40);
  },
);
