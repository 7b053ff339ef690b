import { eventually, wallClockOff } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { contendInTurn, startContender } from '../servers/contenders.ts';
import { connect, databases, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

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

  test.each(['+1h', '-1h'])(
    'a process whose clock is %s off takes nothing from a holder, and no more time',
    async (by) => {
      const { url } = await withTables(database);
      const { locks } = locksOver(connect(url));
      const [waiter, holder] = [
        await startContender(await wallClockOff(by)),
        await startContender(await wallClockOff(by)),
      ];
      const lease = await locks.acquire('held', { ttl: 60_000 });
      const tokens = waiter.contend({ url, key: 'held', workers: 1, rounds: 1, ttl: 2_000 });
      await eventually('a waiter', async () => (await locks.inspect('held')).waiters === 1);
      expect((await locks.inspect('held')).holders).toMatchObject([{ owner: lease.owner }]);
      await lease.release();
      expect((await tokens)[0]).toBeGreaterThan(lease.token);

      const started = performance.now();
      holder.take({ url, key: 'lapsed', ttl: 1_500 });
      await eventually('a holder', async () => (await locks.inspect('lapsed')).holders.length === 1);
      const held = performance.now();
      expect((await locks.inspect('lapsed')).holders[0]?.remaining).toBeLessThanOrEqual(1_500);
      await (await locks.acquire('lapsed')).release();
      // Not before the lease ends for its holder, by 1 % and 2 ms before the ttl: where the time of
      // the store is known from the last answer, a hold may be that much shorter. And not long
      // after.
      expect(performance.now() - started).toBeGreaterThanOrEqual(0.99 * 1_500 - 2);
      expect(performance.now() - held).toBeLessThan(5_000);
    },
  );
});
