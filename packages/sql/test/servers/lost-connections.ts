import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startProxy } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rowsOf } from '../support/databases.ts';
import type { Kind } from './kind.ts';
import { expectFree, expectWholePool, partiesOn } from './parties.ts';
import type { Party } from './parties.ts';

const max = 3;
const killer = fileURLToPath(new URL('kill.mjs', import.meta.url));

/** What a call leaves whose connection is lost, on a server with tables. */
export function testLostConnections(kind: Kind, server: ServerHandle): void {
  const { url } = server;
  const { join, blockRow, untilBlocked } = partiesOn(kind);

  test.each(['tryAcquire', 'inspect'] as const)(
    'the first %s of a process that stood still while the server ended its connection',
    async (call) => {
      const party = join(url, { pool: { min: 0, max: 1 }, listen: false });
      await (await party.locks.acquire(`still ${call}`)).release();
      const id = kind.client === 'pg' ? 'pg_backend_pid()' : 'CONNECTION_ID()';
      const [row] = await rowsOf(party.knex.raw(`SELECT ${id} AS id`));
      execFileSync(process.execPath, [killer, kind.client, url, String(row?.['id'])]);
      const answer = await party.locks[call](`still ${call}`);
      expect(answer).toMatchObject(call === 'inspect' ? { holders: [] } : { held: true });
    },
  );

  /** Each way to lose the connection of a call that is under way. */
  const losses: readonly (readonly [string, (cut: () => Promise<void>) => Promise<void>])[] = [
    ['ended by the server', async () => kind.kill(url, await untilBlocked(url))],
    [
      'cut on its way',
      async (cut) => {
        await untilBlocked(url);
        await cut();
      },
    ],
  ];

  describe.each(losses)('a pooled connection that is %s', (_name, lose) => {
    async function cutOff(): Promise<{ readonly party: Party; readonly cut: () => Promise<void> }> {
      const proxy = await startProxy(server);
      onTestFinished(() => proxy.stop());
      return {
        party: join(proxy.url(url), { pool: { min: 0, max }, defaults: { ttl: 6_000 } }),
        cut: () => proxy.cut(),
      };
    }

    test('in the midst of an acquire: the claim is granted once, and nothing leaks', async () => {
      const key = `acquire ${_name}`;
      const { party, cut } = await cutOff();
      await (await party.locks.acquire(key)).release();
      const free = await blockRow(url, key);
      const acquiring = party.locks.acquire(key);
      await lose(cut);
      await free();
      const lease = await acquiring;
      expect((await party.locks.inspect(key)).holders).toMatchObject([{ owner: lease.owner, token: lease.token }]);
      expect(await lease.release()).toBe(true);
      await expectFree(party, key);
      await expectWholePool(party, max);
    });

    test('in the midst of a single attempt: it is unknown, and leaves nothing', async () => {
      const key = `attempt ${_name}`;
      const { party, cut } = await cutOff();
      await (await party.locks.acquire(key)).release();
      const free = await blockRow(url, key);
      const attempt = party.locks.tryAcquire(key);
      attempt.catch(() => {});
      await lose(cut);
      await free();
      await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      await expectFree(party, key);
      await expectWholePool(party, max);
    });

    test('in the midst of a renewal: the lease is held on, and the next one is confirmed', async () => {
      const key = `renew ${_name}`;
      const { party, cut } = await cutOff();
      const lease = await party.locks.acquire(key, { renew: false });
      const free = await blockRow(url, key);
      const renewal = lease.renew();
      renewal.catch(() => {});
      await lose(cut);
      await free();
      await expect(renewal).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(lease.held).toBe(true);
      await lease.renew();
      expect(await lease.release()).toBe(true);
      await expectFree(party, key);
      await expectWholePool(party, max);
    });

    test('in the midst of a release: the key comes free', async () => {
      const key = `release ${_name}`;
      const { party, cut } = await cutOff();
      const lease = await party.locks.acquire(key, { ttl: 60_000 });
      const free = await blockRow(url, key);
      const release = lease.release();
      release.catch(() => {});
      await lose(cut);
      await free();
      await expect(release).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(lease.held).toBe(false);
      await expectFree(party, key);
      await expectWholePool(party, max);
    });
  });
}
