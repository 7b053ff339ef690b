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

    test.each(['attempt', 'renewal', 'release'] as const)(
      'in the midst of an %s: it is unknown, the lease is as it was, and nothing leaks',
      async (call) => {
        const key = `${call} ${_name}`;
        const { party, cut } = await cutOff();
        const lease = await party.locks.acquire(key, { renew: false, ttl: 60_000 });
        if (call === 'attempt') await lease.release();
        const free = await blockRow(url, key);
        const calls = {
          attempt: () => party.locks.tryAcquire(key),
          renewal: () => lease.renew(),
          release: () => lease.release(),
        };
        const lost = calls[call]();
        lost.catch(() => {});
        await lose(cut);
        await free();
        await expect(lost).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
        expect(lease.held).toBe(call === 'renewal');
        if (call === 'renewal') {
          await lease.renew();
          expect(await lease.release()).toBe(true);
        }
        await expectFree(party, key);
        await expectWholePool(party, max);
      },
    );
  });
}
