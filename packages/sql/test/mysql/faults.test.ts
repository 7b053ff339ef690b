import { startProxy } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/waiting.ts';
import { createTables, rowsOf, startServer, withClient } from './support/database.ts';
import { blockRow, blockedConnections, expectFree, expectWholePool, join, untilBlocked } from './support/party.ts';
import type { Party } from './support/party.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

const max = 3;

async function kill(ids: readonly number[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const id of ids) await client.query(`KILL ${id}`);
  });
}

/** The row of `key` as it stands. */
async function row(key: string): Promise<unknown> {
  const [found] = await withClient(url, (client) =>
    rowsOf(client, 'SELECT version, owner, held_until, shares FROM locks WHERE `key` = ?', [Buffer.from(key)]),
  );
  return found;
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
    return { party: join(proxy.url(url), { pool: { min: 0, max }, defaults: { ttl: 6_000 } }), cut: () => proxy.cut() };
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

describe('a statement that is ended while it waits for the row', () => {
  test.each([
    [
      'by KILL QUERY',
      async (): Promise<void> => {
        for (const id of await untilBlocked(url)) await withClient(url, (client) => client.query(`KILL QUERY ${id}`));
      },
    ],
    ['by the limit of its session', async (): Promise<void> => {}],
  ])('%s, in the procedure: it is unknown, and leaves no transaction open', async (_name, end) => {
    const { locks, provider, knex } = join(url, { pool: { min: 0, max: 1 }, defaults: { ttl: 6_000 } });
    const claim = { key: `ended ${_name}`, owner: 'ended/1', ttl: 6_000, mode: 'shared' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    if (_name.includes('limit')) await knex.raw('SET SESSION max_statement_time = 1');
    const free = await blockRow(url, claim.key);
    const attempt = provider.tryAcquire(claim);
    attempt.catch(() => {});
    await end();
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await free();
    await eventually('no open transaction', async () => {
      const rows = await withClient(url, (client) =>
        rowsOf(client, 'SELECT trx_id FROM information_schema.innodb_trx'),
      );
      return rows.length === 0;
    });
    const lease = await locks.acquire(claim.key, { wait: 5_000 });
    expect(await lease.release()).toBe(true);
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

test('no statement is left waiting', async () => {
  expect(await blockedConnections(url)).toEqual([]);
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
