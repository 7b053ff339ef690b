import knex from 'knex';
import { systemRuntime } from '@locks/core/adapter';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { SqlClient } from '../src/dialect/pools/client.ts';
import { knexClient } from '../src/clients/knex.ts';
import type { KnexClient, KnexInstance } from '../src/clients/knex.ts';
import { PoolQueue } from '../src/connections/pool-queue.ts';

interface Thing {
  readonly id: number;
}

/**
 * A real pool of knex, of things that need no server; `refusals` are what making the next ones
 * fails with.
 */
function createPool(max: number, acquireConnectionTimeout = 5_000) {
  const refusals: Error[] = [];
  let made = 0;
  const { client: plain } = knex({ client: 'pg' }) as { readonly client: object };
  const Client = plain.constructor as new (config: object) => object;
  class Things extends Client {
    async acquireRawConnection(): Promise<Thing> {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      return { id: ++made };
    }
    async destroyRawConnection(): Promise<void> {}
  }
  const instance = knex({
    client: Things as never,
    connection: {},
    pool: { min: 0, max },
    acquireConnectionTimeout,
    log: silent,
  });
  opened.push(instance);
  const client = instance.client as KnexClient & { pool: { numUsed(): number; numPendingAcquires(): number } };
  return {
    client,
    refusals,
    queue: new PoolQueue<Thing>(knexClient(instance as KnexInstance) as unknown as SqlClient<Thing>, systemRuntime),
  };
}

// knex prints what it rejects with.
const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };

const opened: { destroy(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((instance) => instance.destroy()));
});

describe('connections that are lent', () => {
  test('stay at hand for the next call until the end of the turn, and then go back to the pool', async () => {
    const { client, queue } = createPool(2);
    const first = await queue.take({});
    queue.give(first);
    const second = await queue.take({});
    expect(second).toBe(first);
    queue.give(second);
    expect(client.pool.numUsed()).toBe(1);
    await turn();
    expect(client.pool.numUsed()).toBe(0);
  });

  test('go from call to call, first come first served', async () => {
    const { client, queue } = createPool(1);
    const held = await queue.take({});
    const order: number[] = [];
    const calls = [1, 2, 3].map(async (number) => {
      const connection = await queue.take({});
      order.push(number);
      queue.give(connection);
    });
    await turn();
    // The pool has no other one to give.
    expect(client.pool.numPendingAcquires()).toBe(0);
    queue.give(held);
    await Promise.all(calls);
    expect(order).toEqual([1, 2, 3]);
    await expect.poll(() => [client.pool.numUsed(), client.pool.numPendingAcquires()]).toEqual([0, 0]);
  });

  test('go to the calls of holders first', async () => {
    const { queue } = createPool(1);
    const held = await queue.take({});
    const order: string[] = [];
    const served = async (call: string, first: boolean): Promise<void> => {
      const connection = await queue.take({}, first);
      order.push(call);
      queue.give(connection);
    };
    const over = {};
    void queue.take(over, true);
    const calls = [
      served('waiter', false),
      served('holder', true),
      served('other waiter', false),
      served('other', true),
    ];
    queue.withdraw(over);
    queue.give(held);
    await Promise.all(calls);
    expect(order).toEqual(['holder', 'other', 'waiter', 'other waiter']);
  });

  test.each([
    ['go to other users that wait at the pool, before the calls that came after it', ['other', 'own']],
    ['that the pool gives a call are its own, though others wait at the pool', ['own', 'other']],
  ])('%s', async (_name, inTurn) => {
    const { client, queue } = createPool(1);
    const first = inTurn[0] === 'other' ? await queue.take({}) : await client.acquireConnection();
    const order: string[] = [];
    const uses: Readonly<Record<string, () => Promise<void>>> = {
      async other() {
        const connection = await client.acquireConnection();
        order.push('other');
        await client.releaseConnection(connection);
      },
      async own() {
        const connection = await queue.take({});
        order.push('own');
        queue.give(connection);
      },
    };
    const all = inTurn.map((user) => uses[user]!());
    await turn();
    if (inTurn[0] === 'other') queue.give(first as Thing);
    else await client.releaseConnection(first);
    await Promise.all(all);
    expect(order).toEqual(inTurn);
  });

  test('cannot be had from a pool that has ended: all who wait hear of it', async () => {
    const { client, queue } = createPool(1);
    const held = await queue.take({});
    const calls = Array.from({ length: 20 }, () => queue.take({}));
    const answers = Promise.allSettled(calls);
    await turn();
    const ended = opened[0]!.destroy();
    Object.assign(held, { __knex__disposed: new Error('ended') });
    queue.give(held);
    expect((await answers).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
    await ended;
    expect(client.pool).toBeUndefined();
  });

  test('are waited for longer than the pool itself waits: a call has a limit of its own', async () => {
    const { client, queue } = createPool(1, 20);
    const held = (await client.acquireConnection()) as Thing;
    let got: Thing | undefined;
    const waiting = queue.take({}).then((connection) => (got = connection));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(got).toBeUndefined();
    await client.releaseConnection(held);
    expect(await waiting).toBe(held);
    queue.give(held);
  });
});
