import { wallClockOff } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { contendInTurn, startContender } from '../servers/contenders.ts';
import { databases, withTables } from '../support/databases.ts';

const hour = 3_600_000;

describe.each(databases)('on $name', (database) => {
  test('processes whose wall clocks are hours apart are served one at a time, with tokens that increase', async () => {
    const { url } = await withTables(database);
    const contenders = await Promise.all(
      ['+1h', '-1h'].map(async (by) => await startContender(await wallClockOff(by))).concat(startContender()),
    );
    const [ahead, behind, right] = contenders.map(({ wallClock }) => wallClock);
    expect(ahead! - right!).toBeGreaterThan(0.9 * hour);
    expect(right! - behind!).toBeGreaterThan(0.9 * hour);
    const before = BigInt(Date.now()) * 1_000n;
    const task = { url, key: 'hot', workers: 5, rounds: 6, ttl: 30_000 };
    const tokens = await contendInTurn(contenders, task);
    const after = BigInt(Date.now()) * 1_000n;
    // SQLite has no clock but those of its processes. Others have that of the server, which is this
    // machine's.
    if (database.name === 'SQLite') return;
    for (const token of tokens) {
      expect(token).toBeGreaterThan(before - 60_000_000n);
      expect(token).toBeLessThan(after + 60_000_000n);
    }
  });
});
