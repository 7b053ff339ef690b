import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@locks/composites';
import { createLocks, createMemoryProvider, createMemoryStore } from '@locks/core';
import type { Phase } from '@locks/composites';
import type { LockProvider, Locks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import * as redis from '@locks/redis';
import * as sql from '@locks/sql';
import { startPostgres, startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import knex from 'knex';
import { test } from 'vitest';
import type { TestContext } from 'vitest';
import { openDatabases } from '../support/databases.ts';

/** Calls `cleanup` when the test has ended. */
type AtTheEnd = TestContext['onTestFinished'];

/** A server that loses what it was told, or some of it. */
interface Server {
  open(): Promise<LockProvider>;
  /** Notes what it has. */
  save(): Promise<void>;
  lose(): Promise<void>;
}

async function redisServer(atTheEnd: AtTheEnd, isRestored: boolean): Promise<Server> {
  const server = await startRedis();
  atTheEnd(() => server.stop());
  const client = new Redis(server.url);
  client.on('error', () => {});
  atTheEnd(() => client.disconnect());
  let saved: (readonly [key: string, ttl: number, value: Buffer])[] = [];
  return {
    open: async () => await redis.fromConfig({ url: server.url, options: { timeout: 2_000 }, runtime: systemRuntime }),
    async save() {
      saved = [];
      for (const key of await client.keys('*')) {
        const [ttl, value] = [await client.pttl(key), await client.dumpBuffer(key)];
        if (value !== null) saved.push([key, Math.max(0, ttl), value]);
      }
    },
    async lose() {
      if (!isRestored) {
        await server.restart({ keepData: false });
        return;
      }
      await client.flushall();
      for (const [key, ttl, value] of saved) await client.restore(key, ttl, value, 'REPLACE');
    },
  };
}

async function postgresServer(atTheEnd: AtTheEnd, isRestored: boolean): Promise<Server> {
  const server = await startPostgres();
  atTheEnd(() => server.stop());
  const databases = openDatabases(server.url);
  await databases.create('store');
  atTheEnd(() => databases.remove());
  const url = databases.url('store');
  const client = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  atTheEnd(() => client.destroy());
  const tables = async (): Promise<readonly string[]> => {
    const { rows } = await client.raw<{ rows: { name: string }[] }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    return rows.map(({ name }) => name);
  };
  return {
    open: async () => await sql.fromConfig({ url, options: { migrate: true }, runtime: systemRuntime }),
    async save() {
      await client.raw('DROP SCHEMA IF EXISTS saved CASCADE');
      await client.raw('CREATE SCHEMA saved');
      for (const table of await tables()) await client.raw('CREATE TABLE saved.?? AS TABLE public.??', [table, table]);
    },
    async lose() {
      const all = await tables();
      await client.transaction(async (transaction) => {
        for (const table of all) {
          await transaction.raw('DELETE FROM public.??', [table]);
          if (isRestored) await transaction.raw('INSERT INTO public.?? SELECT * FROM saved.??', [table, table]);
        }
        // Without its row the tables are of no layout, and each new connection is refused.
        if (!isRestored) {
          await transaction.raw('INSERT INTO locks_layout SELECT version, readable_from, 0 FROM saved.locks_layout');
        }
      });
      // As a restore does. Later calls go over new connections.
      await client.raw(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    },
  };
}

const servers: Readonly<Record<string, (atTheEnd: AtTheEnd) => Promise<Server>>> = {
  'Redis that was restarted empty': (atTheEnd) => redisServer(atTheEnd, false),
  'Redis that was restored to an older dump': (atTheEnd) => redisServer(atTheEnd, true),
  'Postgres whose rows were deleted': (atTheEnd) => postgresServer(atTheEnd, false),
  'Postgres whose rows were restored': (atTheEnd) => postgresServer(atTheEnd, true),
};

const phases = ['from', 'to', 'both', 'plain'] as const;
const cases = Object.keys(servers).flatMap((server) => phases.map((phase) => [server, phase] as const));

// At once, for they mostly wait.
test.concurrent.for(cases)('tokens increase of a %s, in %s', { timeout: 120_000 }, async ([name, phase], context) => {
  const { expect, onTestFinished: atTheEnd } = context;
  const opened = (provider: LockProvider, tokenFloor?: string): Locks => {
    const made = createLocks(provider, { closeProvider: true, ttl: 1_000, tokenFloor });
    atTheEnd(() => made.close());
    return made;
  };
  const server = await servers[name]!(atTheEnd);
  const other = createMemoryStore();
  const wanted: { phase: Phase } = { phase: phase === 'from' ? 'from' : 'to' };
  const process = async (): Promise<Locks> => {
    const [own, far] = [await server.open(), createMemoryProvider({ store: other })];
    const stores = phase === 'from' ? { from: own, to: far } : { from: far, to: own };
    return opened(migrate({ name: 'loss', ...stores, phase: () => wanted.phase, presenceTtl: 1_000 }));
  };
  let highest = 0n;
  const back: string[] = [];
  const take = async (locks: Locks, count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      const lease = await eventually(() => locks.acquire('job', { wait: 10_000 }));
      if (lease.token <= highest) back.push(`${lease.token} after ${highest}`);
      else highest = lease.token;
      await lease.release().catch(() => {});
      await sleep(50);
    }
  };

  let locks = await process();
  await take(locks, 5);
  const isAhead = highest > BigInt(Date.now() + 300_000) * 1_000n;
  expect(isAhead).toBe(true);
  if (phase === 'both') wanted.phase = 'both';
  if (phase === 'plain') {
    const tokenFloor = await (await server.open()).register?.('token-floor');
    await locks.close();
    locks = opened(await server.open(), tokenFloor);
  }
  await take(locks, 10);
  await server.save();
  await take(locks, 10);
  // Leases and places of before are over.
  await sleep(1_500);
  await server.lose();
  await take(locks, 20);
  expect(back).toEqual([]);
});

/** A server that starts answers nothing. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left -= 1) {
    try {
      return await call();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(100);
    }
  }
}
