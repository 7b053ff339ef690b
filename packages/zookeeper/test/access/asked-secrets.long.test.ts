import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { openLocks } from '@locks/core';
import { eventually, startZookeeper } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import type { ZookeeperAuth, ZookeeperOptions } from '../../src/index.ts';
import { getChildren } from '../../src/wire/requests.ts';
import { ownServer } from '../support/servers.ts';
import { ownLocks } from '../support/providers.ts';
import { getAcl } from '../support/requests.ts';
import { openSession, ownProxy, valueOf } from '../support/sessions.ts';
import { served, startLoad } from '../../../core/test/support/load.ts';

const server = await ownServer({ tickTime: 500 });
const secure = await startZookeeper({ tls: 'mutual' });
afterAll(() => secure.stop());

const secret = 'hunter2';

function digest(password: string): ZookeeperAuth {
  return { scheme: 'digest', credentials: `app:${password}` };
}

test('credentials that change under load: each connection shows the new ones, and no lock is lost', async () => {
  const proxy = await ownProxy(server);
  const auth = [digest('first')];
  let asked = 0;
  const locks = ownLocks(proxy, {
    root: `/${randomUUID()}`,
    acl: 'creator',
    auth: async () => {
      asked += 1;
      await sleep(5);
      return [...auth];
    },
  });
  const held = await locks.acquire('held');
  // Twenty workers take five keys.
  const load = startLoad([locks, locks, locks, locks], ['a', 'b', 'c', 'd', 'e']);
  const worked = async (what: string): Promise<void> => {
    const before = load.counts();
    await eventually(what, () => served(load, before));
  };
  for (const next of ['second', 'third']) {
    const before = asked;
    await worked('work');
    auth.push(digest(next));
    await proxy.cut();
    await eventually('another connection', () => asked > before);
    await worked('work over it');
  }
  expect(await load.stop()).toMatchObject({ doubleHolds: 0, lost: 0, codes: new Set() });
  expect(held.held).toBe(true);
  expect(await held.release()).toBe(true);
});

test('a node that is made over the next connection belongs to the next credentials', async () => {
  const proxy = await ownProxy(server);
  const root = `/${randomUUID()}`;
  const auth = [digest('first')];
  const locks = ownLocks(proxy, { root, acl: 'creator', auth: () => [...auth] });
  const owners = async (key: string): Promise<number> => {
    const admin = await openSession([server], { auth: [{ scheme: 'digest', credentials: Buffer.from('app:first') }] });
    const { children } = valueOf(await admin.send(getChildren(`${root}/${key}`)));
    const { acl } = valueOf(await admin.send(getAcl(`${root}/${key}/${children[0]}`)));
    return acl.length;
  };
  const before = await locks.acquire('before');
  expect(await owners('before')).toBe(1);
  auth.push(digest('second'));
  await proxy.cut();
  const after = await locks.acquire('after', { wait: 10_000 });
  expect(await owners('after')).toBe(2);
  expect(await before.release()).toBe(true);
  expect(await after.release()).toBe(true);
});

test.each<readonly [string, ZookeeperOptions, string, RegExp]>([
  ['fails', { auth: () => Promise.reject(new Error('sealed')) }, 'LOCK_UNAVAILABLE', /option "auth" failed; see/],
  [
    'is silent',
    { username: 'app', password: () => new Promise(() => {}) },
    'LOCK_UNAVAILABLE',
    /"password" did not answer a new connection within 200 ms/,
  ],
  [
    'gives no text',
    { username: 'app', password: () => ({ secret }) as never },
    'LOCK_MISCONFIGURED',
    /"password" must return a string, and returned an object/,
  ],
  [
    'gives no credentials',
    { auth: () => secret as never },
    'LOCK_MISCONFIGURED',
    /"auth" must return an object .*\(not shown\)/,
  ],
  [
    'gives a wrong user',
    { username: () => `a:${secret}`, password: 'x' },
    'LOCK_MISCONFIGURED',
    /"username" must return/,
  ],
  ['gives no TLS', { auth: digest('first'), tls: () => false }, 'LOCK_MISCONFIGURED', /"tls" must return true or/],
])('a function that %s is told, without what it gave', async (_what, options, code, message) => {
  const url = `zookeeper://${server.host}:${server.port}`;
  const config = { root: `/${randomUUID()}`, timeout: '400ms', connectTimeout: '1s', ...options };
  const error: unknown = await openLocks({ url, options: config }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
});

test('close() does not wait for a function that is silent', async () => {
  const options = { root: `/${randomUUID()}`, auth: () => new Promise<never>(() => {}) };
  const provider = createZookeeperProvider({ servers: `${server.host}:${server.port}`, ...options });
  const call = provider.inspect('job').catch((reason: unknown) => reason);
  await sleep(50);
  const since = performance.now();
  await provider.close();
  expect(performance.now() - since).toBeLessThan(500);
  expect(await call).toMatchObject({ code: 'LOCK_CLOSED' });
});

test('options of TLS are asked at each connection', async () => {
  const { ca, cert, key, host, port } = secure.tls;
  const proxy = await ownProxy({ host, port });
  let asked = 0;
  const tls = async (): Promise<object> => {
    asked += 1;
    return { ca, cert, key };
  };
  const locks = ownLocks(proxy, { root: `/${randomUUID()}`, tls });
  const lease = await locks.acquire('job');
  const before = asked;
  await proxy.cut();
  await eventually('another connection', () => asked > before);
  expect(await lease.release()).toBe(true);
});
