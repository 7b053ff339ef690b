import { systemRuntime } from '@locks/core/adapter';
import { eventually } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { ownTables, rowsOf, startServer, withClient } from './support/database.ts';
import { join } from './support/mariadb.ts';
import { knexClient } from '../../src/clients/knex.ts';
import { createListening } from '../../src/mysql/listen.ts';
import type { Party } from '../servers/parties.ts';

const server = await startServer();
afterAll(() => server.stop());

interface Waiter {
  readonly process: string;
  /** The session that keeps its lock. */
  readonly session: string | null;
}

const findWaiters = `SELECT CAST(process AS CHAR) AS process, CAST(IS_USED_LOCK(CONCAT('locks_', process)) AS CHAR) AS session
  FROM locks_queue ORDER BY place`;

/** How long a place lasts, in ms. One that has no session yet gets it a third of this later. */
const waiterTtl = 6_000;

/** The first in the queue, once its session keeps its lock. */
function firstWithSession(url: string): Promise<Waiter> {
  return eventually('a waiter with a session', async () => {
    const [first] = await waitersAt(url);
    return first !== undefined && first.session !== null && first;
  });
}

function waitersAt(url: string): Promise<readonly Waiter[]> {
  return withClient(url, async (client) => {
    return (await rowsOf(client, findWaiters)) as unknown as readonly Waiter[];
  });
}

async function setting(): Promise<string> {
  const url = await ownTables(server);
  return url;
}

function waitWith(party: Party): { readonly granted: Promise<unknown>; leave(): void } {
  const leaving = new AbortController();
  const granted = party.locks.acquire('job', { signal: leaving.signal }).catch((error: unknown) => error);
  return { granted, leave: () => leaving.abort() };
}

test('a process that waits keeps a lock in a session of its own, until it is closed', async () => {
  const url = await setting();
  const [holder, party] = [join(url), join(url, { waiterTtl })];
  await holder.locks.acquire('job', { ttl: 60_000 });
  const { leave, granted } = waitWith(party);
  const { process, session } = await firstWithSession(url);
  expect(process).toMatch(/^[\w-]{16}\+@[0-9a-f]{8}$/);
  expect(session).toMatch(/^\d+$/);
  leave();
  await granted;
  await party.provider.close();
  await withClient(url, async (client) => {
    await eventually('the end of the session', async () => {
      const found = await rowsOf(client, 'SELECT 1 FROM information_schema.processlist WHERE id = ?', [session]);
      return found.length === 0;
    });
  });
});

test('with `listen: false` there is no session', async () => {
  const url = await setting();
  const [holder, party] = [join(url), join(url, { listen: false })];
  const lease = await holder.locks.acquire('job', { ttl: 60_000 });
  const { granted } = waitWith(party);
  await eventually('a waiter', async () => (await waitersAt(url)).length === 1);
  expect(await waitersAt(url)).toEqual([{ process: expect.not.stringContaining('+') as string, session: null }]);
  await lease.release();
  expect(await granted).toMatchObject({ held: true });
});

test('a process that may have one connection waits without a session', async () => {
  const url = await setting();
  const database = new URL(url).pathname.slice(1);
  await withClient(url, async (client) => {
    await client.query(`CREATE USER 'single' IDENTIFIED BY 'word' WITH MAX_USER_CONNECTIONS 1`);
    await client.query(`GRANT ALL ON \`${database}\`.* TO 'single'`);
  });
  const limited = new URL(url);
  Object.assign(limited, { username: 'single', password: 'word' });
  const [holder, party] = [join(url), join(limited.href, { pool: { min: 1, max: 1 } })];
  const lease = await holder.locks.acquire('job', { ttl: 60_000 });
  const { granted } = waitWith(party);
  await eventually('a waiter', async () => (await waitersAt(url)).length === 1);
  expect(await waitersAt(url)).toEqual([{ process: expect.not.stringContaining('+') as string, session: null }]);
  await lease.release();
  expect(await granted).toMatchObject({ held: true });
});

test('a wake ends the wait of another process, which then hears of it', async () => {
  const url = await setting();
  const client = knexClient(join(url).knex);
  const listening = createListening(client, 'woken', systemRuntime);
  let heard = 0;
  const listener = await listening.listen(
    () => {
      heard += 1;
    },
    () => {},
  );
  await withClient(url, async (other) => {
    for (let wakes = 1; wakes <= 5; wakes += 1) {
      const before = heard;
      await other.query(`KILL QUERY IS_USED_LOCK('locks_${listening.name}:wakes')`);
      // The second look, for a wake that came between two waits.
      await eventually('two looks', () => Promise.resolve(heard >= before + 2));
    }
  });
  listener.close();
});

test('both sessions end with the first one, or when the listener is closed', async () => {
  const url = await setting();
  const client = knexClient(join(url).knex);
  for (const end of ['killed', 'closed']) {
    const listening = createListening(client, end, systemRuntime);
    let reason: unknown;
    const listener = await listening.listen(
      () => {},
      (why) => {
        reason = why;
      },
    );
    const { name } = listening;
    await listener.probe();
    await withClient(url, async (other) => {
      const sessions = async (): Promise<readonly unknown[]> => {
        const sql = 'SELECT IS_USED_LOCK(?) AS keeps, IS_USED_LOCK(?) AS waits';
        const [row] = await rowsOf(other, sql, [`locks_${name}`, `locks_${name}:wakes`]);
        return [row?.['keeps'] as unknown, row?.['waits'] as unknown];
      };
      const [keeper, waiting] = await sessions();
      expect([keeper, waiting]).toEqual([expect.any(Number), expect.any(Number)]);
      if (end === 'closed') listener.close();
      else await other.query(`KILL ${String(keeper)}`);
      await eventually('their end', async () => (await sessions()).every((id) => id === null));
    });
    expect(listening.name).toBe(end);
    expect(reason === undefined).toBe(end === 'closed');
  }
});
