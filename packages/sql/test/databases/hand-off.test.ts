import { setImmediate as turn } from 'node:timers/promises';
import { createFencingGuard, createLocks, isLockError } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, fence, migrate } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';

const localHandOff = { count: 8, ms: 2_000 };

const kinds = databases.flatMap((database) =>
  [{}, { routines: false } as const].map((options) => ({ name: database.name, database, options })),
);

test.each(kinds)('claims of two processes that pass a key on: $name $options', async ({ database, options }) => {
  const url = await database.create();
  const knex = connect(url);
  await migrate(knex, options);
  const open = (): Locks => {
    const provider = createSqlProvider(connect(url), options);
    // Tokens are then those of the counter alone: without a reserve, some would be given twice.
    const locks = createLocks(provider, { localHandOff, tokenFloor: 2n ** 52n, closeProvider: true });
    onTestFinished(() => locks.close());
    return locks;
  };
  const [one, two] = [open(), open()];
  // Without routines there is no table for fences.
  const guard = options.routines === false ? createFencingGuard() : undefined;
  const write = async (lease: Lease): Promise<void> => {
    if (guard === undefined) await knex.transaction((trx) => fence(trx, 'resource', lease));
    else guard.check('resource', lease);
  };
  const history = createHistory(() => performance.now());
  const order: string[] = [];
  let before: Lease | undefined;
  let refused = 0;
  const run = async (name: string, locks: Locks): Promise<void> => {
    await using lease = await locks.acquire('key');
    history.granted(name, lease);
    order.push(name);
    await write(lease);
    // The holder before comes too late, which may have been one of the same hold.
    const late = before && write(before);
    await late?.catch((error: unknown) => (refused += Number(isLockError(error, 'LOCK_STALE'))));
    before = lease;
    history.released(lease);
  };
  const first = await one.acquire('key');
  const runs = [one, two].flatMap((locks, index) => Array.from({ length: 20 }, () => run(`${index}`, locks)));
  await turn();
  await first.release();
  await Promise.all(runs);
  expect(checkHistory(history.events, { ended: true })).toEqual([]);
  expect(refused).toBe(39);
  expect(order).toHaveLength(40);
  expect(await one.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
});
