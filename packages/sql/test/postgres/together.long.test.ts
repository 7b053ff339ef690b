import { randomUUID } from 'node:crypto';
import type { Claim, LockProvider } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { proxyTo } from '../support/front.ts';
import { connect, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { blockRow, join, untilBlocked } from '../servers/parties.ts';

const server = await serverOfFile('shared_preload_libraries=pg_stat_statements');
const { url } = server;

function claims(count: number, ttl = 20_000): Claim[] {
  return Array.from({ length: count }, () => {
    return { key: `job/${randomUUID()}`, owner: `me/${randomUUID()}`, ttl, mode: 'exclusive' };
  });
}

const acquire = (provider: LockProvider, all: readonly Claim[]) =>
  Promise.all(all.map((claim) => provider.tryAcquire(claim)));
const renew = (provider: LockProvider, all: readonly Claim[]) => Promise.all(all.map((claim) => provider.renew(claim)));
const release = (provider: LockProvider, all: readonly Claim[]) =>
  Promise.all(all.map((claim) => provider.release(claim)));

const granted = { granted: true, token: expect.any(BigInt) };

describe('calls of one tick', () => {
  test('travel as one statement, for new keys and for keys that were used before', async () => {
    const client = await connect(url);
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const { provider } = join(url);
    const [used, unused] = [claims(4), claims(4)];
    await acquire(provider, used);
    await release(provider, used);
    await client.query('SELECT pg_stat_statements_reset()');
    const all = [...used, ...unused].map((claim) => ({ ...claim, owner: `again/${randomUUID()}` }));
    const tokens = (await acquire(provider, all)).map((answer) => answer.granted && answer.token);
    for (const token of tokens) expect(token).toBeTypeOf('bigint');
    expect(await renew(provider, all)).toEqual(all.map(() => ({})));
    for (const [index, { key, owner }] of all.entries()) {
      expect((await provider.inspect(key)).holders).toMatchObject([{ owner, token: tokens[index] }]);
    }
    expect(await release(provider, all)).toEqual(all.map(() => true));
    const { rows } = await client.query<{ query: string; calls: number }>(
      `SELECT query, calls::integer FROM pg_stat_statements WHERE query ~ '(INSERT|UPDATE|locks_acquire|locks_re)'`,
    );
    expect(rows.map(({ calls }) => calls)).toEqual([1, 1, 1]);
  });

  test('are each decided alone: a key that is held, shared, waited for or unknown changes no other', async () => {
    const [{ provider }, other] = [join(url), join(url)];
    const all = claims(6);
    const [held, shared, waited, own, free] = all as [Claim, Claim, Claim, Claim, Claim];
    await other.provider.tryAcquire({ ...held, owner: 'other/1' });
    await other.provider.tryAcquire({ ...shared, owner: 'other/2', mode: 'shared' });
    await other.provider.tryAcquire({ ...waited, owner: 'other/3' });
    const waiting = other.locks.acquire(waited.key);
    await expect.poll(async () => (await provider.inspect(waited.key)).waiters).toBe(1);
    const before = await provider.tryAcquire(own);
    const answers = await acquire(provider, all);
    expect(answers.map((answer) => answer.granted)).toEqual([false, false, false, true, true, true]);
    expect(answers[3]).toEqual(before);
    expect(await renew(provider, all)).toEqual([false, false, false, {}, {}, {}]);
    await provider.release(free);
    // The queue's head has its turn, and hears of it.
    expect(await release(provider, [...all, { ...waited, owner: 'other/3' }])).toEqual([
      ...[false, false, false, true, false, true],
      true,
    ]);
    expect((await waiting).held).toBe(true);
  });

  test('never wait for the row of one of them', async () => {
    const { provider } = join(url);
    const all = claims(5);
    await acquire(provider, all);
    await release(provider, all);
    for (const [call, answer] of [
      [acquire, granted],
      [renew, {}],
      [release, true],
    ] as const) {
      const free = await blockRow(url, all[2]!.key);
      let blocked = true;
      const answers = all.map(async (claim, index) => {
        const [found] = await call(provider, [claim]);
        expect(found).toEqual(answer);
        expect(blocked).toBe(index !== 2);
      });
      await Promise.all(answers.toSpliced(2, 1));
      await untilBlocked(url);
      blocked = false;
      await free();
      await answers[2];
    }
  });

  test('do not wait for the end of another transaction that inserts one of their keys', async () => {
    const [{ provider }, third] = [join(url), join(url)];
    const all = claims(32);
    const [inserted] = all as [Claim];
    const client = await connect(url);
    await client.query('BEGIN');
    await client.query('INSERT INTO locks (key, version) VALUES ($1, 1)', [Buffer.from(inserted.key)]);
    const first = provider.tryAcquire(inserted);
    const others = acquire(provider, all.slice(1));
    await untilBlocked(url);
    const later = acquire(
      third.provider,
      all.slice(1).map((claim) => ({ ...claim, owner: `third/${randomUUID()}` })),
    );
    expect([...(await others), ...(await later)].filter((answer) => answer.granted)).toHaveLength(31);
    await client.query('ROLLBACK');
    expect((await first).granted).toBe(true);
  });

  test('of two processes for the same new keys never wait in a circle', async () => {
    const parties = [join(url), join(url)];
    const logged = (await server.log()).length;
    for (let round = 0; round < 50; round += 1) {
      const all = claims(12);
      const answers = await Promise.all(
        parties.map(({ provider }, index) => {
          const own = all.map((claim) => ({ ...claim, owner: `${claim.owner}/${index}` }));
          return acquire(provider, index === 0 ? own : own.toReversed());
        }),
      );
      const tokens = answers.flat().filter((answer) => answer.granted);
      expect(tokens).toHaveLength(all.length);
    }
    expect((await server.log()).slice(logged)).not.toMatch(/deadlock/);
  });

  test('go one by one where the server refuses the statement: tokens that the sweep has removed', async () => {
    const own = await ownTables(server);
    const { provider } = join(own);
    const [used, unused] = [claims(2), claims(2)];
    await acquire(provider, used);
    await release(provider, used);
    const client = await connect(own);
    const swept = BigInt(Date.now() + 3_600_000) * 1_000n;
    await client.query('UPDATE locks_layout SET swept = $1', [swept]);
    const answers = await acquire(provider, [...used, ...unused]);
    expect(answers).toEqual([granted, granted, granted, granted]);
    for (const answer of answers.slice(2)) expect(answer.granted && answer.token > swept).toBe(true);
  });

  test('reject each for its own key where the connection is lost, and may be repeated', async () => {
    const proxy = await proxyTo(url);
    const { provider } = join(proxy.url(url));
    const all = claims(4);
    const other = await connect(url);
    await other.query('BEGIN; LOCK TABLE locks');
    const answers = Promise.allSettled(all.map((claim) => provider.tryAcquire(claim)));
    await untilBlocked(url);
    await proxy.cut();
    expect(await answers).toEqual(
      all.map(({ key }) => {
        return { status: 'rejected', reason: expect.objectContaining({ code: 'LOCK_UNAVAILABLE', key }) };
      }),
    );
    await other.query('ROLLBACK');
    expect(await acquire(provider, all)).toEqual(all.map(() => granted));
    expect(await release(provider, all)).toEqual(all.map(() => true));
  });

  test('settle within the timeout, and take no effect after it', async () => {
    const { provider } = join(url, { timeout: 2_000 });
    const all = claims(4);
    await acquire(provider, all);
    await release(provider, all);
    const other = await connect(url);
    await other.query('BEGIN; LOCK TABLE locks');
    const before = performance.now();
    const answers = await Promise.allSettled(all.map((claim) => provider.tryAcquire(claim)));
    expect(performance.now() - before).toBeLessThan(4_000);
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 'rejected'));
    await expect.poll(() => untilBlocked(url, 0)).toEqual([]);
    await other.query('ROLLBACK');
    for (const { key } of all) expect((await provider.inspect(key)).holders).toEqual([]);
  });
});
