import { setImmediate, setTimeout } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createSqlProvider, migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';

const rounds = 50;

/** Sixty calls on one key. Half of them are given up at some time, and one `Locks` closes. */
async function storm(parties: readonly [Locks, Locks, Locks]): Promise<void> {
  let holders = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    holders += 1;
    most = Math.max(most, holders);
    await setImmediate();
    holders -= 1;
  };
  const calls = Array.from({ length: 60 }, async (_, call) => {
    const signal = call % 2 === 0 ? {} : { signal: AbortSignal.timeout(Math.floor(Math.random() * 60)) };
    const mode = call % 5 === 0 ? ({ mode: 'shared', permits: 1 } as const) : {};
    await parties[call % 3]?.withLock('job', { ttl: 20_000, wait: 20_000, ...signal, ...mode }, work);
  });
  const ended = Promise.allSettled(calls);
  await setTimeout(Math.random() * 50);
  await parties[0].close();
  await ended;
  expect(most).toBeLessThanOrEqual(1);
}

// On SQLite each of these rounds takes a second.
const servers = databases.filter(({ name }) => name !== 'SQLite');

test.each(servers)(
  'on $name aborts and closes in the midst of calls leave nothing',
  { timeout: 120_000 },
  async ({ create }) => {
    const url = await create();
    await migrateTables(connect(url));
    const pool = { min: 0, max: 4 };
    const [one, other] = [connect(url, { pool }), connect(url, { pool })];
    for (let round = 0; round < rounds; round += 1) {
      const [here, there] = [createSqlProvider(one), createSqlProvider(other)];
      const parties = [createLocks(here), createLocks(here), createLocks(there)] as const;
      await storm(parties);
      await eventually('a free key without a queue', async () => {
        const { holders, waiters } = await here.inspect('job');
        return holders.length === 0 && waiters === 0;
      });
      for (const party of [...parties, here, there]) await party.close();
    }
  },
);
