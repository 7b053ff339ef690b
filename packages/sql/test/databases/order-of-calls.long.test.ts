import type { AcquireOptions } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { databases, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

const inOrder = Array.from({ length: 20 }, (_, call) => call);

async function ordersOn(database: Database, rounds: number, options: AcquireOptions): Promise<readonly number[][]> {
  const { locks } = locksOver((await withTables(database)).knex, {}, { ttl: 30_000 });
  const orders: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const order: number[] = [];
    const calls = inOrder.map((call) => locks.withLock(`job ${round % 2}`, options, () => void order.push(call)));
    await Promise.all(calls);
    orders.push(order);
  }
  return orders;
}

describe.each(databases)('on $name', (database) => {
  test.each<AcquireOptions>([{}, { mode: 'shared', permits: 1 }])(
    'the calls of one process on one key are served in their order: %j',
    async (options) => {
      // The first finds neither a row nor a subscription, and later ones find a key that was busy.
      const orders = await ordersOn(database, 6, options);
      expect(orders).toEqual(orders.map(() => inOrder));
    },
  );
});
