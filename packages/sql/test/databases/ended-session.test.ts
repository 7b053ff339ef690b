import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { connect, servers, withTables } from '../support/databases.ts';
import { endSessionOfFirst, sessionOfFirst } from '../support/ended-session.ts';
import { locksOver } from '../support/locks-over.ts';

test.each(servers)(
  'on $name a waiter keeps its place though its session was ended, and has another one soon',
  async (database) => {
    const { url, knex } = await withTables(database);
    const [holder, first, second] = Array.from({ length: 3 }, () => locksOver(connect(url)).locks);
    const lease = await holder!.acquire('job', { ttl: 60_000 });
    const order: string[] = [];
    const waits: Promise<unknown>[] = [];
    for (const [name, locks] of Object.entries({ first, second })) {
      waits.push(locks!.withLock('job', () => order.push(name)));
      await eventually(`${name} in the queue`, async () => (await holder!.inspect('job')).waiters === waits.length);
    }
    // A place that has no session yet gets it with the next sign of life.
    await eventually('a session', () => sessionOfFirst(database, knex));
    const ended = await endSessionOfFirst(database, knex);
    await eventually('another session', async () => ![0, ended].includes(await sessionOfFirst(database, knex)));
    await lease.release();
    await Promise.all(waits);
    expect(order).toEqual(['first', 'second']);
  },
);
