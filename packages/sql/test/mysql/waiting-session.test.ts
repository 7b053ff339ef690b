import { systemRuntime } from '@locks/core/adapter';
import { eventually } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { createTables, ownDatabase, rowsOf, startServer, withClient } from './support/database.ts';
import { join } from './support/mariadb.ts';
import { knexClient } from '../../src/clients/knex.ts';
import { createWaitingSession } from '../../src/mysql/waiting-session.ts';
import type { Party } from '../servers/parties.ts';

const server = await startServer();
afterAll(() => server.stop());

interface Waiter {
  readonly process: string;
  /** The session that keeps its lock. */
  readonly session: string | null;
}

const findWaiters = `SELECT CAST(process AS CHAR) AS process, CAST(IS_USED_LOCK(CONCAT('locks_', process)) AS CHAR) AS session
  FROM locks_line ORDER BY place`;

/** How long a place lasts, in ms. One that has no session yet gets it a third of this later. */
const waiterTtl = 6_000;

/** The first in line, once its session keeps its lock. */
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
  const url = await ownDatabase(server);
  await createTables(url);
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

test('a waiter keeps its place though its session was ended, and has another one soon', async () => {
  const url = await setting();
  const [holder, first, second] = [join(url), join(url, { waiterTtl }), join(url)];
  const lease = await holder.locks.acquire('job', { ttl: 60_000 });
  const order: string[] = [];
  const waits: Promise<unknown>[] = [];
  for (const [name, { locks }] of Object.entries({ first, second })) {
    waits.push(locks.withLock('job', () => order.push(name)));
    await eventually(`${name} in line`, async () => (await waitersAt(url)).length === waits.length);
  }
  const before = await firstWithSession(url);
  await withClient(url, async (client) => void (await client.query(`KILL ${before.session}`)));
  await eventually('another session', async () => {
    const [now] = await waitersAt(url);
    return now?.process === before.process && now?.session !== null && now?.session !== before.session;
  });
  await lease.release();
  await Promise.all(waits);
  expect(order).toEqual(['first', 'second']);
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

test('a session that no claim waits with any more is ended', async () => {
  const url = await setting();
  let ahead = 0;
  const clock = {
    origin: systemRuntime.clock.origin,
    now: () => systemRuntime.clock.now() + ahead,
    exact: () => systemRuntime.clock.exact() + ahead,
  };
  const setTimer: typeof systemRuntime.setTimer = (callback, ms, keeps) =>
    systemRuntime.setTimer(callback, ms === 30_000 ? 500 : ms, keeps);
  const client = knexClient(join(url).knex);
  const session = createWaitingSession(client, 'idle', { ...systemRuntime, clock, setTimer });
  await session.begin();
  const { name } = session;
  expect(name).toMatch(/^idle\+@/);
  ahead = 31_000;
  await eventually('the end of the session', () => Promise.resolve(session.name === 'idle'));
  await withClient(url, async (other) => {
    await eventually('the end of its lock', async () => {
      const [row] = await rowsOf(other, 'SELECT IS_USED_LOCK(?) AS id', [`locks_${name}`]);
      return row?.['id'] === null;
    });
  });
});
