import type { Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect, databases, servers, withTables } from '../support/databases.ts';
import { proxyTo } from '../support/front.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party } from '../support/locks-over.ts';

/** What an application sees of its pool. */
interface PoolClient {
  readonly pool: { numPendingAcquires(): number; numUsed(): number };
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<unknown>;
}

interface Application extends Party {
  readonly knex: Knex;
  readonly client: PoolClient;
}

/** An application with locks over its own pool, at `url`, where the tables are. */
function start(url: string, max: number, timeout: number): Application {
  const knex = connect(url, { pool: { min: 0, max } });
  const party = locksOver(knex, { timeout, sweep: false }, { ttl: 1_000, closeTimeout: 1_000 });
  return { knex, ...party, client: knex.client as PoolClient };
}

const another = { key: 'another', owner: 'me/1', ttl: 1_000, mode: 'exclusive' } as const;

/** The codes that `count` tries at once fail with. */
async function failures(locks: Locks, count: number): Promise<ReadonlySet<unknown>> {
  const tries = Array.from({ length: count }, (_, index) => locks.tryAcquire(`job ${index}`));
  const answers = await Promise.allSettled(tries);
  return new Set(
    answers.map((answer) =>
      answer.status === 'rejected' ? (answer.reason as { readonly code?: unknown }).code : 'granted',
    ),
  );
}

describe.each(databases)('a pool of $name whose application uses all of its connections', (database) => {
  test('has no more requests in its queue after 5 000 tries than it has connections', async () => {
    const max = database.name === 'SQLite' ? 1 : 3;
    const { url } = await withTables(database);
    const { knex, provider, client, locks } = start(url, max, 200);
    const tries = vi.spyOn(provider, 'tryAcquire');
    const releases = vi.spyOn(provider, 'release');
    const used = await Promise.all(Array.from({ length: max }, () => client.acquireConnection()));
    onTestFinished(async () => {
      for (const connection of used.splice(0)) await client.releaseConnection(connection);
    });
    expect(await failures(locks, 5_000)).toEqual(new Set(['LOCK_UNAVAILABLE']));
    expect(client.pool.numPendingAcquires()).toBeLessThanOrEqual(max);
    await expect(locks.acquire('job', { wait: 50 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expect(provider.tryAcquire(another, () => {})).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      sent: false,
      message: expect.stringContaining('No connection of the pool became free') as string,
    });
    // A deadline that is late by more than others gets time for answers that lie unread.
    await expect.poll(() => tries.mock.settledResults.some(({ type }) => type === 'incomplete')).toBe(false);
    // The application's next query comes behind these alone.
    const query = knex.raw('SELECT 1');
    const answered = Promise.resolve(query);
    await client.releaseConnection(used.pop());
    await answered;
    await Promise.all(used.splice(0).map((connection) => client.releaseConnection(connection)));
    await expect.poll(() => client.pool.numPendingAcquires()).toBe(0);
    // Of what was never sent nothing is left.
    expect(releases).not.toHaveBeenCalled();
    expect(await locks.withLock('job', () => 7)).toBe(7);
  });
});

describe.each(servers)('a network to $name that falls silent', (database) => {
  test('leaves the pool with few requests, and the locks work soon after it is back', async () => {
    const max = 4;
    const { url } = await withTables(database);
    const proxy = await proxyTo(url);
    const { client, locks } = start(proxy.url(url), max, 300);
    const works = (): Promise<boolean> => locks.withLock('job', () => true).catch(() => false);
    await eventually('a lock', works);
    const audible = proxy.silence();
    for (let round = 0; round < 5; round += 1) {
      expect(await failures(locks, 200)).toEqual(new Set(['LOCK_UNAVAILABLE']));
      expect(client.pool.numPendingAcquires()).toBeLessThanOrEqual(max);
    }
    await audible();
    await eventually('a lock', works);
    await expect.poll(() => client.pool.numPendingAcquires()).toBe(0);
  });
});
