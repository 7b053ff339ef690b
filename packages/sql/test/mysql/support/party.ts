import { createLocks } from '@locks/core';
import type { LockProvider, Locks, LocksOptions } from '@locks/core';
import type { Knex } from 'knex';
import { expect, onTestFinished } from 'vitest';
import { createSqlProvider } from '../../../src/index.ts';
import type { SqlOptions } from '../../../src/index.ts';
import { eventually } from '../../support/waiting.ts';
import { openKnex, rowsOf, withClient } from './database.ts';

/** What one process has. */
export interface Party {
  readonly knex: Knex;
  readonly provider: LockProvider;
  readonly locks: Locks;
}

/** How a party is made. */
export interface PartyOptions extends SqlOptions {
  readonly pool?: Knex.PoolConfig;
  readonly defaults?: LocksOptions;
}

/** A party on the database at `url`, or with that configuration, which ends with the test. */
export function join(url: string | object, { pool, defaults, ...options }: PartyOptions = {}): Party {
  const knex = openKnex(url, pool);
  const provider = createSqlProvider(knex, options);
  const locks = createLocks(provider, { ttl: 5_000, ...defaults });
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
    await knex.destroy();
  });
  return { knex, provider, locks };
}

/** A transaction of somebody else that has the row of `key` locked until it is ended. */
export async function blockRow(url: string, key: string): Promise<() => Promise<void>> {
  let locked!: () => void;
  let end!: () => void;
  const isLocked = new Promise<void>((resolve) => (locked = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  const over = withClient(url, async (client) => {
    await client.beginTransaction();
    const rows = await rowsOf(client, 'SELECT version FROM locks WHERE `key` = ? FOR UPDATE', [Buffer.from(key)]);
    expect(rows).toHaveLength(1);
    locked();
    await ended;
    await client.commit();
  });
  await Promise.race([isLocked, over]);
  return async () => {
    end();
    await over;
  };
}

/** The transactions that are open on the server, as InnoDB describes them: its table of them is a cache that many looks keep as it is. */
export async function openTransactions(url: string): Promise<readonly string[]> {
  const [row] = await withClient(url, (client) => rowsOf(client, 'SHOW ENGINE INNODB STATUS'));
  return String(row?.['Status'])
    .split(/^---TRANSACTION /m)
    .filter((text) => /^\d+, ACTIVE/.test(text));
}

/** The connections of the server that wait for a row, since `atLeast` ms at least. */
export async function blockedConnections(url: string, atLeast = 0): Promise<readonly number[]> {
  const waiting = (text: string): number => Number(/HAS BEEN WAITING (\d+) us/.exec(text)?.[1] ?? -1) / 1_000;
  return (await openTransactions(url))
    .filter((text) => waiting(text) >= atLeast)
    .map((text) => Number(/thread id (\d+)/.exec(text)?.[1]));
}

/** Resolves when `count` statements wait for a row, since `atLeast` ms at least. */
export async function untilBlocked(url: string, count = 1, atLeast = 0): Promise<readonly number[]> {
  return await eventually(`${count} statements that wait for a row`, async () => {
    const found = await blockedConnections(url, atLeast);
    return found.length === count && found;
  });
}

/** Expects that nobody holds `key` or waits for it, soon. */
export async function expectFree(party: Party, key: string): Promise<void> {
  await eventually(`the end of all claims on ${key}`, async () => {
    const { holders, waiters } = await party.locks.inspect(key);
    return holders.length === 0 && waiters === 0;
  });
}

/** Expects that the pool can lend all its connections at once: none has leaked. */
export async function expectWholePool({ knex }: Party, max: number): Promise<void> {
  const client = knex.client as {
    acquireConnection(): Promise<unknown>;
    releaseConnection(connection: unknown): Promise<void>;
  };
  const lent = await Promise.all(Array.from({ length: max }, () => client.acquireConnection()));
  expect(new Set(lent).size).toBe(max);
  for (const connection of lent) await client.releaseConnection(connection);
}
