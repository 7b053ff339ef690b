import type { Claim } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { blockRow, join, untilBlocked } from '../servers/parties.ts';
import { connect, servers, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';

/** In twenty seconds, as the tables of MariaDB have it. */
const soon = 'CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 + 20000000 AS SIGNED)';

/** The statements of a claim that stands first in the queue, and of the holder that releases. */
const lead: Readonly<Partial<Record<Database['name'], readonly string[]>>> = {
  Postgres: [
    // Its ttl is too short for a key to be given to it.
    "SELECT token FROM locks_acquire('job', 'first/1', 1000, 0, NULL, true, 'elsewhere', 20000, '{}', 5000, false, '0')",
    "SELECT freed FROM locks_release('job', 'holder/1', 'elsewhere', 20000, 5000)",
  ],
  // What the procedure does.
  MariaDB: [
    `INSERT INTO locks_queue (\`key\`, place, owner, process, permits, seen, deadline)
      VALUES ('job', 1, 'first/1', 'elsewhere', NULL, UNIX_TIMESTAMP(NOW(6)) * 1000000, ${soon})`,
    `UPDATE locks SET owner = NULL, held_until = NULL, head_process = 'elsewhere', head_owner = 'first/1',
      head_until = ${soon}, queue_until = ${soon}, next_lapse = ${soon}, next_place = 2 WHERE \`key\` = 'job'`,
  ],
};

function claim(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'job', owner, ttl: 20_000, mode: 'exclusive', ...more };
}

describe.each(servers)('the statements on $name', (database) => {
  test('see a queue that began while they waited for the row, though the key is free', async () => {
    const { url } = await withTables(database);
    const { provider } = join(url);
    await provider.tryAcquire(claim('holder/1'));
    const other = await connect(url).transaction();
    for (const statement of lead[database.name]!) await other.raw(statement);
    const answer = provider.tryAcquire(claim('second/1'));
    await untilBlocked(url);
    await other.commit();
    expect(await answer).toMatchObject({ granted: false });
    expect(await provider.inspect('job')).toMatchObject({ holders: [], waiters: 1 });
  });

  test.each([
    ['exclusive', {}],
    ['shared', { mode: 'shared', permits: 2 }],
  ] as const)('count the ttl of an %s claim from after the wait', async (_mode, more) => {
    const { url } = await withTables(database);
    const { provider } = join(url);
    await provider.tryAcquire(claim('warm/1'));
    await provider.release(claim('warm/1'));
    const free = await blockRow(url, 'job');
    const answer = provider.tryAcquire(claim('second/1', { ...more, ttl: 10_000 }));
    await untilBlocked(url, 1, 1_500);
    await free();
    expect((await answer).granted).toBe(true);
    const [holder] = (await provider.inspect('job')).holders;
    expect(holder?.remaining).toBeGreaterThan(9_000);
    expect(holder?.remaining).toBeLessThanOrEqual(10_000);
  });

  test('see that a hold has lapsed while they waited for the row', async () => {
    const { url } = await withTables(database);
    const { provider } = join(url);
    const first = claim('first/1', { ttl: 1_000 });
    await provider.tryAcquire(first);
    const free = await blockRow(url, 'job');
    const answer = provider.tryAcquire(claim('second/1'));
    await untilBlocked(url, 1, 1_200);
    await free();
    expect((await answer).granted).toBe(true);
    expect(await provider.renew(first)).toBe(false);
  });
});
