import type { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { blockRow, join, untilBlocked } from '../servers/parties.ts';
import { connect, servers, withTables } from '../support/databases.ts';
import { proxyTo } from '../support/front.ts';

/** The row of `key` as it stands: what a call could have changed in it. */
async function rowOf(url: string, key: string): Promise<unknown> {
  return await connect(url)('locks').where('key', Buffer.from(key)).first('version', 'owner', 'held_until', 'shares');
}

const timeout = 800;

describe.each(servers)('on $name after its deadline no call takes effect', (database) => {
  test.each(['acquire', 'acquire in the queue', 'renew', 'release', 'release of a share'] as const)(
    '%s, while another client has the row locked',
    async (call) => {
      const { url } = await withTables(database);
      const { provider } = join(url, { timeout });
      const mode = call === 'release of a share' ? 'shared' : 'exclusive';
      const claim = { key: `late ${call}`, owner: 'late/1', ttl: 60_000, mode } as const;
      await provider.tryAcquire(claim);
      if (call.startsWith('acquire')) await provider.release(claim);
      const before = await rowOf(url, claim.key);
      const free = await blockRow(url, claim.key);
      const started = performance.now();
      const calls = {
        acquire: () => provider.tryAcquire(claim),
        'acquire in the queue': () => provider.tryAcquire(claim, () => {}),
        renew: () => provider.renew(claim),
        release: () => provider.release(claim),
        'release of a share': () => provider.release(claim),
      };
      await expect(calls[call]()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(performance.now() - started).toBeLessThan(timeout + 1_000);
      await untilBlocked(url, 0);
      await free();
      expect(await rowOf(url, claim.key)).toEqual(before);
    },
  );

  test('not even if the server cannot be told', async () => {
    const { url } = await withTables(database);
    const proxy = await proxyTo(url);
    const { provider } = join(proxy.url(url), { timeout });
    const claim = { key: 'late and silent', owner: 'late/1', ttl: 60_000, mode: 'exclusive' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    const before = await rowOf(url, claim.key);
    const free = await blockRow(url, claim.key);
    const attempt = provider.tryAcquire(claim);
    attempt.catch(() => {});
    await untilBlocked(url);
    const audible = proxy.silence();
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await free();
    expect(await rowOf(url, claim.key)).toEqual(before);
    await audible();
  });
});

const [postgres] = servers;

describe('on Postgres after its deadline no call takes effect', () => {
  test('and no look goes on, which no row can keep waiting', async () => {
    const { url } = await withTables(postgres!);
    const { provider } = join(url, { timeout });
    await provider.inspect('any');
    const other = await connect(url).transaction();
    await other.raw('LOCK TABLE locks');
    await expect(provider.inspect('any')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await other.commit();
    expect((await provider.inspect('any')).holders).toEqual([]);
  });

  test.each(['200ms', '60s'])('whatever the statement_timeout of the connection is: %s', async (own) => {
    const afterCreate = (connection: Client, done: (error: Error | null) => void): void =>
      connection.query(`SET statement_timeout = '${own}'`, done);
    const { url } = await withTables(postgres!);
    const { provider } = join(url, { timeout, pool: { min: 0, max: 1, afterCreate } });
    const claim = { key: `late after ${own}`, owner: 'late/1', ttl: 60_000, mode: 'exclusive' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    const before = await rowOf(url, claim.key);
    const free = await blockRow(url, claim.key);
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await free();
    expect(await rowOf(url, claim.key)).toEqual(before);
    expect((await provider.tryAcquire(claim)).granted).toBe(true);
    expect(await provider.release(claim)).toBe(true);
  });
});
