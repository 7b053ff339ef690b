import { eventually } from '@locks/test-servers';
import type { Client } from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { rowOf, testDeadlines } from '../servers/deadlines.ts';
import { testLostConnections } from '../servers/lost-connections.ts';
import { queueUp } from '../servers/parties.ts';
import { connectKnex, createTables, startServer, withClient } from './support/database.ts';
import { blockRow, join, postgres, untilBlocked } from './support/postgres.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

/** The server processes that listen in this database. */
async function listeners(at = url): Promise<readonly number[]> {
  const { rows } = await withClient(at, (client) =>
    client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"),
  );
  return rows.map(({ pid }) => pid);
}

describe('after its deadline no call takes effect', () => {
  const timeout = 800;

  test('and no look goes on, which no row can keep waiting', async () => {
    const { provider } = join(url, { timeout });
    await provider.inspect('any');
    await withClient(url, async (client) => {
      await client.query('BEGIN; LOCK TABLE locks');
      await expect(provider.inspect('any')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      await untilBlocked(url, 0);
      await client.query('COMMIT');
    });
    expect((await provider.inspect('any')).holders).toEqual([]);
  });

  test.each(['200ms', '60s'])('whatever the statement_timeout of the connection is: %s', async (own) => {
    const knex = connectKnex(url, {
      min: 0,
      max: 1,
      afterCreate(connection: Client, done: (error: Error | null) => void) {
        connection.query(`SET statement_timeout = '${own}'`, done);
      },
    });
    const provider = createSqlProvider(knex, { timeout });
    onTestFinished(() => provider.close());
    const claim = { key: `late after ${own}`, owner: 'late/1', ttl: 60_000, mode: 'exclusive' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    const before = await rowOf(postgres, url, claim.key);
    const free = await blockRow(url, claim.key);
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await free();
    expect(await rowOf(postgres, url, claim.key)).toEqual(before);
    expect((await provider.tryAcquire(claim)).granted).toBe(true);
    expect(await provider.release(claim)).toBe(true);
  });
});

describe('the listener', () => {
  // A poll by the waiters themselves would come after a third of it.
  const waiterTtl = 90_000;

  test('is one connection per process, opened for the first waiter and closed with the provider', async () => {
    const party = join(url, { waiterTtl });
    const before = (await listeners()).length;
    const [first, second] = [await party.locks.acquire('one a'), await party.locks.acquire('one b')];
    expect(await listeners()).toHaveLength(before);
    const waiting = [party.locks.withLock('one a', () => {}), party.locks.withLock('one b', () => {})];
    for (const key of ['one a', 'one b']) {
      await eventually('a waiter', async () => (await party.locks.inspect(key)).waiters === 1);
    }
    expect(await listeners()).toHaveLength(before + 1);
    await first.release();
    await second.release();
    await Promise.all(waiting);
    await party.locks.close();
    await party.provider.close();
    await eventually('its end', async () => (await listeners()).length === before);
  });

  test('is ended again and again while locks go from process to process: each waiter is served', async () => {
    const parties = [join(url, { waiterTtl }), join(url, { waiterTtl })];
    let inside = 0;
    let served = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      served += 1;
    };
    const all = Promise.all(
      parties.flatMap(({ locks }) =>
        Array.from({ length: 10 }, async () => {
          for (let round = 0; round < 6; round += 1) await locks.withLock('hunted', work);
        }),
      ),
    );
    let over = false;
    const hunt = (async () => {
      while (!over) await postgres.kill(url, await listeners());
    })();
    await all;
    over = true;
    await hunt;
    expect(served).toBe(120);
  });

  test('that cannot be had: the process polls', async () => {
    await withClient(url, (client) =>
      client.query(`CREATE ROLE single LOGIN PASSWORD 'single' CONNECTION LIMIT 1;
        GRANT SELECT, INSERT, UPDATE ON locks TO single;
        GRANT SELECT ON locks_queue, locks_shares, locks_layout TO single;
        GRANT EXECUTE ON FUNCTION locks_acquire, locks_renew, locks_release TO single;
        GRANT EXECUTE ON PROCEDURE locks_release_and_tell TO single`),
    );
    const own = new URL(url);
    own.username = 'single';
    own.password = 'single';
    const [holder, party] = [join(url), join(own.href, { waiterTtl, pool: { min: 0, max: 1 } })];
    const lease = await holder.locks.acquire('deaf', { ttl: 60_000 });
    const queue = await queueUp(party.locks, 'deaf', 3);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2]);
  });

  test('is not opened where it is not wanted: the process polls', async () => {
    // Listeners of earlier tests may still be ending.
    const own = new URL(url);
    own.searchParams.set('application_name', 'unheard');
    const [holder, party] = [join(url), join(own.href, { waiterTtl, listen: false })];
    const lease = await holder.locks.acquire('unheard', { ttl: 60_000 });
    const queue = await queueUp(party.locks, 'unheard', 3);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2]);
    const { rows } = await withClient(url, (client) =>
      client.query<{ query: string }>("SELECT query FROM pg_stat_activity WHERE application_name = 'unheard'"),
    );
    expect(rows).not.toEqual([]);
    for (const { query } of rows) expect(query).not.toMatch(/^LISTEN /);
  });
});

testLostConnections(postgres, server);
testDeadlines(postgres, server);
