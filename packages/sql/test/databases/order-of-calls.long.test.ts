import { createLocks } from '@locks/core';
import type { AcquireOptions } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';

const inOrder = Array.from({ length: 20 }, (_, call) => call);

async function ordersOn(database: Database, rounds: number, options: AcquireOptions): Promise<readonly number[][]> {
  const url = await database.create();
  await migrateTables(connect(url));
  const knex = connect(url, database.name === 'SQLite' ? {} : { pool: { min: 0, max: 6 } });
  const provider = createSqlProvider(knex);
  const locks = createLocks(provider, { ttl: 30_000 });
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
  });
  const orders: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const order: number[] = [];
    const calls = inOrder.map((call) => locks.withLock(`job ${round % 2}`, options, () => void order.push(call)));
    await Promise.all(calls);
    orders.push(order);
  }
  return orders;
}

test.each(databases)('on $name the calls of one process on one key are served in their order', async (database) => {
  // The first finds neither a row nor a subscription, and later ones find that the key was busy.
  const orders = await ordersOn(database, 6, {});
  expect(orders).toEqual(orders.map(() => inOrder));
});

test.each(databases)('on $name calls for one permit are, too', async (database) => {
  const orders = await ordersOn(database, 4, { mode: 'shared', permits: 1 });
  expect(orders).toEqual(orders.map(() => inOrder));
});
