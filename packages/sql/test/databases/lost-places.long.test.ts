import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Lease } from '@locks/core';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { inQueue } from '../servers/parties.ts';
import { connect, rowsOf, servers, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party } from '../support/locks-over.ts';

/** How long a position in the queue lasts, in ms. */
const waiterTtl = 3_000;

/** Another process than `here` holds the key. */
async function partiesOf(database: Database): Promise<{ knex: Knex; here: Party; held: Lease }> {
  const { url, knex } = await withTables(database);
  const [here, there] = [1, 2].map(() => locksOver(connect(url), { waiterTtl }, { ttl: 10_000 })) as [Party, Party];
  return { knex, here, held: await there.locks.acquire('job') };
}

test.each(servers)('on $name claims whose places an operator has removed ask again, all together', async (database) => {
  const { knex, here, held } = await partiesOf(database);
  const { locks, provider } = here;
  const all = Array.from({ length: 10 }, () => locks.withLock('job', () => {}));
  await inQueue(provider, 10);
  await knex.raw('DELETE FROM locks_queue');
  await held.release();
  const begun = performance.now();
  await Promise.all(all);
  // The next sign of life of any of them, which finds none in the queue.
  expect(performance.now() - begun).toBeLessThan(waiterTtl / 3 + 300);
});

const claim = (owner: string) => ({ key: 'job', owner, ttl: 10_000, mode: 'exclusive' }) as const;

test.each(servers)(
  'on $name a claim that was given the key asks, where the answer that told it was lost',
  async (database) => {
    const { knex, here: party, held } = await partiesOf(database);
    const { provider: here } = party;
    for (const owner of ['first', 'second']) await here.tryAcquire(claim(owner), () => {});
    // As long as a place lasts, less what makes the next call of another claim show it.
    await setTimeout(waiterTtl / 3);
    const [row] = await rowsOf(knex('locks').where('key', Buffer.from('job')).select('head_process'));
    const process = String(row?.['head_process']);
    // A release of a claim of that process, whose connection breaks before the answer.
    if (database.name === 'Postgres') {
      const release = 'CALL locks_release_and_tell(?, ?, ?, ?, 5000, NULL, NULL, NULL, NULL, NULL)';
      await knex.raw(release, [Buffer.from('job'), held.owner, process, waiterTtl]);
    } else {
      const release =
        "CALL locks_act('release', 'job', ?, 1, NULL, NULL, ?, ?, NULL, NULL, FALSE, UTC_TIMESTAMP(6), 5000000, @woken)";
      await knex.raw(release, [held.owner, process, waiterTtl * 1_000]);
    }
    expect(await here.tryAcquire(claim('second'), () => {})).toMatchObject({ granted: false });
    await setImmediate();
    expect(await here.tryAcquire(claim('first'), () => {})).toMatchObject({ granted: true });
  },
);
