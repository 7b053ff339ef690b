import { eventually } from '@locks/test-servers';
import type { KeyState, LockProvider, Locks, LocksOptions } from '@locks/core';
import type { Knex } from 'knex';
import { expect, onTestFinished } from 'vitest';
import type { SqlOptions } from '../../src/index.ts';
import { connect, rowsOf } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party as Over } from '../support/locks-over.ts';
import { borrow } from '../support/borrow.ts';

/** What one process has. */
export interface Party extends Over {
  readonly knex: Knex;
}

/** How a party is made. */
export interface PartyOptions extends SqlOptions {
  readonly pool?: Knex.PoolConfig;
  readonly defaults?: LocksOptions;
}

/** A party on the database at `url`, or with more settings of mysql2, which ends with the test. */
export function join(
  url: string | { readonly uri: string },
  { pool = { min: 0, max: 10 }, defaults, ...options }: PartyOptions = {},
): Party {
  const knex = connect(url, { pool });
  return { knex, ...locksOver(knex, options, { ttl: 5_000, ...defaults }) };
}

/** A transaction of another client that has the row of `key` locked until it is ended. */
export async function blockRow(url: string, key: string): Promise<() => Promise<void>> {
  const transaction = await connect(url).transaction(undefined, { readOnly: false });
  // A pool ends when its connections are back.
  onTestFinished(async () => {
    if (!transaction.isCompleted()) await transaction.rollback();
  });
  expect(await transaction('locks').where('key', Buffer.from(key)).forUpdate()).toHaveLength(1);
  return async () => void (await transaction.commit());
}

/** Resolves when `count` statements of this database wait for a row, since `atLeast` ms. */
export async function untilBlocked(url: string, count = 1, atLeast = 0): Promise<readonly number[]> {
  const knex = connect(url);
  const blocked = url.startsWith('mysql') ? blockedOnMariadb : blockedOnPostgres;
  return await eventually(`${count} statements that wait for a row`, async () => {
    const found = await blocked(knex, atLeast);
    return found.length === count && found;
  });
}

async function blockedOnPostgres(knex: Knex, atLeast: number): Promise<readonly number[]> {
  const rows = await rowsOf(
    knex.raw(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND clock_timestamp() - query_start > ? * interval '1 millisecond'`,
      [atLeast],
    ),
  );
  return rows.map(({ pid }) => Number(pid));
}

async function blockedOnMariadb(knex: Knex, atLeast: number): Promise<readonly number[]> {
  // MySQL says it in seconds.
  const waiting = (text: string): number => {
    const [, count, unit] = /HAS BEEN WAITING (\d+) (us|SEC)/.exec(text) ?? [];
    return count === undefined ? -1 : Number(count) * (unit === 'us' ? 0.001 : 1_000);
  };
  const own = await rowsOf(knex.raw('SELECT id FROM information_schema.processlist WHERE db = DATABASE()'));
  return (await openTransactions(knex))
    .filter((text) => waiting(text) >= atLeast)
    .map((text) => Number(/thread id (\d+)/.exec(text)?.[1]))
    .filter((thread) => own.some(({ id }) => Number(id) === thread));
}

/**
 * The transactions that are open on a MariaDB, as InnoDB describes them. Its table of them is a
 * cache, which stays as it is while queries follow each other fast.
 */
export async function openTransactions(knex: Knex): Promise<readonly string[]> {
  const [row] = await rowsOf(knex.raw('SHOW ENGINE INNODB STATUS'));
  return String(row?.['Status'])
    .split(/^---TRANSACTION /m)
    .filter((text) => /^\d+, ACTIVE/.test(text));
}

/** Starts a waiter for `key` with each of `all`, in turn, and tells who was served when. */
export async function queueUp(
  all: readonly Locks[],
  key: string,
): Promise<{ readonly order: number[]; readonly all: Promise<unknown> }> {
  const order: number[] = [];
  const served: Promise<unknown>[] = [];
  for (const [index, locks] of all.entries()) {
    served.push(locks.withLock(key, () => order.push(index)));
    await eventually(`${index + 1} waiters`, async () => (await locks.inspect(key)).waiters === index + 1);
  }
  return { order, all: Promise.all(served) };
}

/** The state of `job`, when `count` wait for it. */
export async function inQueue(provider: LockProvider, count: number): Promise<KeyState> {
  return await eventually(`${count} in the queue`, async () => {
    const state = await provider.inspect('job');
    return state.waiters === count && state;
  });
}

/** Expects that `key` is free soon, with no waiter. */
export async function expectFree(party: Party, key: string): Promise<void> {
  await eventually(`the end of all claims on ${key}`, async () => {
    const { holders, waiters } = await party.locks.inspect(key);
    return holders.length === 0 && waiters === 0;
  });
}

/** Expects that the pool can lend all its connections at once: none has leaked. */
export async function expectWholePool(party: Party, max: number): Promise<void> {
  const { connections, giveBack } = await borrow(party.knex, max);
  expect(new Set(connections).size).toBe(max);
  await giveBack();
}
