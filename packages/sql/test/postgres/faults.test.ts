import { startProxy } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Client } from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { eventually } from '../support/waiting.ts';
import { connectKnex, createTables, startServer, withClient } from './support/database.ts';
import {
  blockRow,
  blockedBackends,
  expectFree,
  expectWholePool,
  join,
  queueUp,
  untilBlocked,
} from './support/party.ts';
import type { Party } from './support/party.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

const max = 3;

async function kill(pids: readonly number[]): Promise<void> {
  await withClient(url, (client) => client.query('SELECT pg_terminate_backend(unnest($1::integer[]))', [pids]));
}

/** The server processes that listen in this database. */
async function listeners(at = url): Promise<readonly number[]> {
  const { rows } = await withClient(at, (client) =>
    client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"),
  );
  return rows.map(({ pid }) => pid);
}

/** The row of `key` as it stands. */
async function row(key: string): Promise<unknown> {
  const { rows } = await withClient(url, (client) =>
    client.query('SELECT version, owner, held_until FROM locks WHERE key = $1', [Buffer.from(key)]),
  );
  return rows[0];
}

/** Each way to lose the connection of a call that is under way. */
const losses: readonly (readonly [string, (cut: () => Promise<void>) => Promise<void>])[] = [
  ['ended by the server', async () => kill(await untilBlocked(url))],
  [
    'cut on its way',
    async (cut) => {
      await untilBlocked(url);
      await cut();
    },
  ],
];

describe.each(losses)('a pooled connection that is %s', (_name, lose) => {
  async function cutOff(): Promise<{ readonly party: Party; readonly cut: () => Promise<void> }> {
    const proxy = await startProxy(server);
    onTestFinished(() => proxy.stop());
    return { party: join(proxy.url(url), { pool: { min: 0, max }, defaults: { ttl: 2_000 } }), cut: () => proxy.cut() };
  }

  test('in the midst of an acquire: the claim is granted once, and nothing leaks', async () => {
    const key = `acquire ${_name}`;
    const { party, cut } = await cutOff();
    await (await party.locks.acquire(key)).release();
    const free = await blockRow(url, key);
    const acquiring = party.locks.acquire(key);
    await lose(cut);
    await free();
    const lease = await acquiring;
    expect((await party.locks.inspect(key)).holders).toMatchObject([{ owner: lease.owner, token: lease.token }]);
    expect(await lease.release()).toBe(true);
    await expectFree(party, key);
    await expectWholePool(party, max);
  });

  test('in the midst of a single attempt: it is unknown, and leaves nothing', async () => {
    const key = `attempt ${_name}`;
    const { party, cut } = await cutOff();
    await (await party.locks.acquire(key)).release();
    const free = await blockRow(url, key);
    const attempt = party.locks.tryAcquire(key);
    attempt.catch(() => {});
    await lose(cut);
    await free();
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expectFree(party, key);
    await expectWholePool(party, max);
  });

  test('in the midst of a renewal: the lease is held on, and the next one is confirmed', async () => {
    const key = `renew ${_name}`;
    const { party, cut } = await cutOff();
    const lease = await party.locks.acquire(key, { renew: false });
    const free = await blockRow(url, key);
    const renewal = lease.renew();
    renewal.catch(() => {});
    await lose(cut);
    await free();
    await expect(renewal).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(lease.held).toBe(true);
    await lease.renew();
    expect(await lease.release()).toBe(true);
    await expectFree(party, key);
    await expectWholePool(party, max);
  });

  test('in the midst of a release: the key comes free', async () => {
    const key = `release ${_name}`;
    const { party, cut } = await cutOff();
    const lease = await party.locks.acquire(key, { ttl: 60_000 });
    const free = await blockRow(url, key);
    const release = lease.release();
    release.catch(() => {});
    await lose(cut);
    await free();
    await expect(release).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(lease.held).toBe(false);
    await expectFree(party, key);
    await expectWholePool(party, max);
  });
});

describe('after its deadline no call takes effect', () => {
  const timeout = 400;

  test.each(['acquire', 'acquire in line', 'renew', 'release', 'release of a share'] as const)(
    '%s, while somebody else has the row locked',
    async (call) => {
      const { provider } = join(url, { timeout });
      const mode = call === 'release of a share' ? 'shared' : 'exclusive';
      const claim = { key: `late ${call}`, owner: 'late/1', ttl: 60_000, mode } as const;
      await provider.tryAcquire(claim);
      if (call.startsWith('acquire')) await provider.release(claim);
      const before = await row(claim.key);
      const free = await blockRow(url, claim.key);
      const started = performance.now();
      const calls = {
        acquire: () => provider.tryAcquire(claim),
        'acquire in line': () => provider.tryAcquire(claim, () => {}),
        renew: () => provider.renew(claim),
        release: () => provider.release(claim),
        'release of a share': () => provider.release(claim),
      };
      await expect(calls[call]()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(performance.now() - started).toBeLessThan(timeout + 1_000);
      await untilBlocked(url, 0);
      await free();
      expect(await row(claim.key)).toEqual(before);
    },
  );

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
    const before = await row(claim.key);
    const free = await blockRow(url, claim.key);
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await free();
    expect(await row(claim.key)).toEqual(before);
    expect((await provider.tryAcquire(claim)).granted).toBe(true);
    expect(await provider.release(claim)).toBe(true);
  });

  test('not even if the server cannot be told', async () => {
    const proxy = await startProxy(server);
    onTestFinished(() => proxy.stop());
    const { provider } = join(proxy.url(url), { timeout });
    const claim = { key: 'late and silent', owner: 'late/1', ttl: 60_000, mode: 'exclusive' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    const before = await row(claim.key);
    const free = await blockRow(url, claim.key);
    const attempt = provider.tryAcquire(claim);
    attempt.catch(() => {});
    await untilBlocked(url);
    const audible = proxy.silence();
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await free();
    expect(await row(claim.key)).toEqual(before);
    await audible();
  });
});

describe('a pool that has no connection to lend', () => {
  test('is unavailable within the timeout, and not contention; nothing is left', async () => {
    const timeout = 300;
    const party = join(url, { pool: { min: 0, max: 2 }, timeout, defaults: { ttl: 1_000 } });
    const lease = await party.locks.acquire('kept', { ttl: 60_000 });
    const client = party.knex.client as {
      acquireConnection(): Promise<unknown>;
      releaseConnection(connection: unknown): Promise<void>;
    };
    const lent = [await client.acquireConnection(), await client.acquireConnection()];
    const started = performance.now();
    await expect(party.locks.tryAcquire('job')).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      cause: { message: expect.stringContaining('pool') },
    });
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(performance.now() - started).toBeLessThan(2 * timeout + 1_000);
    for (const connection of lent) await client.releaseConnection(connection);
    await expectFree(party, 'job');
    await expectWholePool(party, 2);
    await lease.renew();
    expect(await lease.release()).toBe(true);
  });
});

describe('the listener', () => {
  // A poll by the waiters themselves would come after a third of it.
  const waiterTtl = 90_000;

  test('is one connection per process, opened when somebody waits and closed with the provider', async () => {
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

  test('is replaced when the server ends it, and a turn that comes meanwhile is found', async () => {
    const [holder, party] = [join(url), join(url, { waiterTtl })];
    const lease = await holder.locks.acquire('killed', { ttl: 60_000 });
    const queue = await queueUp(party.locks, 'killed', 3);
    const before = await listeners();
    await kill(before);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2]);
    const again = await holder.locks.acquire('killed', { ttl: 60_000 });
    const next = party.locks.withLock('killed', () => {});
    await eventually('another listener', async () => (await listeners()).some((pid) => !before.includes(pid)));
    await eventually('a waiter', async () => (await party.locks.inspect('killed')).waiters === 1);
    await again.release();
    await next;
  });

  test('is ended again and again while locks go from process to process: everybody is served', async () => {
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
      while (!over) await kill(await listeners());
    })();
    await all;
    over = true;
    await hunt;
    expect(served).toBe(120);
  });

  test('that cannot be had: the process looks by itself', async () => {
    await withClient(url, (client) =>
      client.query(`CREATE ROLE single LOGIN PASSWORD 'single' CONNECTION LIMIT 1;
        GRANT SELECT, INSERT, UPDATE ON locks TO single;
        GRANT SELECT ON locks_line, locks_shares, locks_layout TO single;
        GRANT EXECUTE ON FUNCTION locks_acquire, locks_renew, locks_release TO single`),
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

  test('is not opened where it is not wanted: the process looks by itself', async () => {
    const before = await listeners();
    const [holder, party] = [join(url), join(url, { waiterTtl, listen: false })];
    const lease = await holder.locks.acquire('unheard', { ttl: 60_000 });
    const queue = await queueUp(party.locks, 'unheard', 3);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2]);
    expect(await listeners()).toEqual(before);
  });

  test('whose process died: the line goes on when its places lapse', async () => {
    const [holder, party] = [join(url), join(url, { waiterTtl: 600 })];
    const lease = await holder.locks.acquire('ghost', { ttl: 60_000 });
    await withClient(url, (client) =>
      client.query(
        "SELECT locks_acquire('ghost', 'ghost/1', 1000, 0, NULL, true, true, 'nowhere', 600, '{}', 1000) FROM generate_series(1, 1)",
      ),
    );
    const next = party.locks.withLock('ghost', () => {});
    await eventually('two waiters', async () => (await party.locks.inspect('ghost')).waiters === 2);
    await lease.release();
    await next;
  });
});

test('no statement is left waiting', async () => {
  expect(await blockedBackends(url)).toEqual([]);
});

describe('a restart under 100 waiters', () => {
  async function ownServer(): Promise<ServerHandle> {
    const own = await startServer();
    onTestFinished(() => own.stop());
    await createTables(own.url);
    return own;
  }

  test.each([
    ['in order', (own: ServerHandle) => own.restart()],
    [
      'by a crash',
      async (own: ServerHandle) => {
        await own.kill();
        await own.restart();
      },
    ],
  ])('%s: all are served afterwards', async (_name, restart) => {
    const own = await ownServer();
    const parties = [join(own.url), join(own.url)];
    const lease = await parties[0]!.locks.acquire('hot', { ttl: 60_000 });
    let served = 0;
    const all = parties.flatMap(({ locks }) =>
      Array.from({ length: 50 }, () => locks.withLock('hot', () => (served += 1), { ttl: 20_000 })),
    );
    await eventually('100 waiters', async () => (await parties[0]!.locks.inspect('hot')).waiters === 100);
    await restart(own);
    await eventually('the release', () =>
      lease.release().then(
        () => true,
        () => true,
      ),
    );
    await Promise.all(all);
    expect(served).toBe(100);
    await expectFree(parties[0]!, 'hot');
    for (const party of parties) await expectWholePool(party, 10);
  });
});
