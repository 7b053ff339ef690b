import { eventually } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testDeadlines } from './deadlines.ts';
import type { Kind } from './kind.ts';
import { testLostConnections } from './lost-connections.ts';
import { borrow, expectFree, expectWholePool, partiesOn } from './parties.ts';

/** What can go wrong between a provider and `server`, which has tables and no other clients. */
export function testFaults(kind: Kind, server: ServerHandle): void {
  const { url } = server;
  const { join } = partiesOn(kind);

  testLostConnections(kind, server);
  testDeadlines(kind, server);

  describe('a pool that has no connection to lend', () => {
    test('is unavailable within the timeout, and not contention; nothing is left', async () => {
      const timeout = 300;
      const party = join(url, { pool: { min: 0, max: 2 }, timeout, defaults: { ttl: 1_000 } });
      const lease = await party.locks.acquire('kept', { ttl: 60_000 });
      const giveBack = await borrow(party, 2);
      const started = performance.now();
      await expect(party.locks.tryAcquire('job')).rejects.toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        cause: { message: expect.stringContaining('pool') },
      });
      await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(performance.now() - started).toBeLessThan(2 * timeout + 1_000);
      await giveBack();
      await expectFree(party, 'job');
      await expectWholePool(party, 2);
      await lease.renew();
      expect(await lease.release()).toBe(true);
    });
  });

  test('no statement is left waiting', async () => {
    expect(await kind.blocked(url)).toEqual([]);
  });

  describe('a restart under 100 waiters', () => {
    async function ownServer(): Promise<ServerHandle> {
      const own = await kind.startServer();
      onTestFinished(() => own.stop());
      await kind.createTables(own.url);
      return own;
    }

    test.each([
      ['in order', (own: ServerHandle) => own.restart()],
      [
        'by a crash',
        async (own: ServerHandle) => {
          await own.kill();
          await own.restart();
        },
      ],
    ])('%s: all are served afterwards', async (_name, restart) => {
      const own = await ownServer();
      const parties = [join(own.url), join(own.url)];
      const lease = await parties[0]!.locks.acquire('hot', { ttl: 60_000 });
      let served = 0;
      const all = parties.flatMap(({ locks }) =>
        Array.from({ length: 50 }, () => locks.withLock('hot', () => (served += 1), { ttl: 20_000 })),
      );
      await eventually('100 waiters', async () => (await parties[0]!.locks.inspect('hot')).waiters === 100);
      await restart(own);
      await eventually('the release', () =>
        lease.release().then(
          () => true,
          () => true,
        ),
      );
      await Promise.all(all);
      expect(served).toBe(100);
      await expectFree(parties[0]!, 'hot');
      for (const party of parties) await expectWholePool(party, 10);
    });
  });
}
