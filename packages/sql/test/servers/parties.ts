import { eventually } from '@locks/test-servers';
import type { KeyState, LockProvider, Locks, LocksOptions } from '@locks/core';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { SqlOptions } from '../../src/index.ts';
import { connect, rowsOf } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party as Over } from '../support/locks-over.ts';
import type { Kind } from './kind.ts';
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

/** What parties on one kind of server do, and another client that gets in their way. */
export interface Parties {
  /** A party on the database at `url`, or with that configuration, which ends with the test. */
  join(url: string | { readonly uri: string }, options?: PartyOptions): Party;
  /** A transaction of another client that has the row of `key` locked until it is ended. */
  blockRow(url: string, key: string): Promise<() => Promise<void>>;
  /** Resolves when `count` statements wait for a row, since `atLeast` ms at least. */
  untilBlocked(url: string, count?: number, atLeast?: number): Promise<readonly number[]>;
}

export function partiesOn(kind: Kind): Parties {
  function join(
    url: string | { readonly uri: string },
    { pool = { min: 0, max: 10 }, defaults, ...options }: PartyOptions = {},
  ): Party {
    const knex = connect(url, { pool });
    return { knex, ...locksOver(knex, options, { ttl: 5_000, ...defaults }) };
  }

  async function blockRow(url: string, key: string): Promise<() => Promise<void>> {
    let locked!: () => void;
    let end!: () => void;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const ended = new Promise<void>((resolve) => (end = resolve));
    const over = kind.withClient(url, async (client) => {
      await client.query('START TRANSACTION READ WRITE');
      const rows = await rowsOf(client.query(`${kind.selectRow} FOR UPDATE`, [Buffer.from(key)]));
      expect(rows).toHaveLength(1);
      locked();
      await ended;
      await client.query('COMMIT');
    });
    await Promise.race([isLocked, over]);
    return async () => {
      end();
      await over;
    };
  }

  async function untilBlocked(url: string, count = 1, atLeast = 0): Promise<readonly number[]> {
    return await eventually(`${count} statements that wait for a row`, async () => {
      const found = await kind.blocked(url, atLeast);
      return found.length === count && found;
    });
  }

  return { join, blockRow, untilBlocked };
}

/**
 * Starts `count` waiters for `key`, one after the other, and tells the order in which they were
 * served.
 */
export async function queueUp(
  locks: Locks,
  key: string,
  count: number,
): Promise<{ readonly order: number[]; readonly all: Promise<unknown> }> {
  const order: number[] = [];
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    all.push(locks.withLock(key, () => order.push(index)));
    await eventually(`${index + 1} waiters`, async () => (await locks.inspect(key)).waiters === index + 1);
  }
  return { order, all: Promise.all(all) };
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
