import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { openLocks } from '@locks/core';
import type { Locks, LocksConfig, MemberMessage } from '@locks/core';
import { selfSigned, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect, eventually, ownPrefix } from '../support/redis.ts';
import { behindTls } from '../support/tls.ts';
import { opened } from '../support/over.ts';
import { refusal } from '../../../core/test/support/lock-error.ts';

const password = 'hunter2';
let servers: readonly ServerHandle[] = [];

async function startThree(): Promise<readonly ServerHandle[]> {
  const started = await Promise.all([1, 2, 3].map(() => startRedis({ password })));
  // The order of a redlock: URL.
  return started.toSorted((left, right) => (addressOf(left) < addressOf(right) ? -1 : 1));
}

beforeAll(async () => {
  servers = await startThree();
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

/** Servers of its own, for a test that kills some of them. */
async function ownServers(): Promise<readonly [ServerHandle, ServerHandle, ServerHandle]> {
  const own = await startThree();
  onTestFinished(async () => {
    await Promise.all(own.map((server) => server.stop()));
  });
  return own as readonly [ServerHandle, ServerHandle, ServerHandle];
}

function addressOf({ host, port }: ServerHandle): string {
  return `${host}:${port}`;
}

function redlock(hosts: readonly ServerHandle[], more = ''): string {
  return `redlock://:${password}@${hosts.map((server) => addressOf(server)).join(',')}${more}`;
}

async function open(target: string | LocksConfig): Promise<Locks> {
  return await opened(openLocks(target));
}

/** All that is told of members until the end of the test. */
function listen(): readonly MemberMessage[] {
  const messages: MemberMessage[] = [];
  const listener = (message: unknown): void => void messages.push(message as MemberMessage);
  subscribe('locks:member', listener);
  onTestFinished(() => void unsubscribe('locks:member', listener));
  return messages;
}

test('a redlock: URL is all it takes; its query carries the options of all', async () => {
  const prefix = ownPrefix();
  const query = `?prefix=${prefix}&ttl=10s&label=worker-7&need=all&memberTimeout=2s&fencing=false&connectionName=${prefix}`;
  const locks = await open(redlock(servers, `/3${query}`));
  expect(locks).toMatchObject({ name: 'combine', traits: { fencing: 'none', shared: true } });
  const lease = await locks.acquire('job');
  expect(lease.owner).toMatch(/^worker-7\//);
  expect(lease.remaining).toBeLessThan(10_000);
  for (const { url } of servers) {
    const client = connect({ db: 3 }, url);
    expect(await client.get(`${prefix}job`)).toMatch(new RegExp(`^${lease.owner}~`));
    expect(await client.client('LIST')).toContain(`name=${prefix}`);
  }
  await locks.close();
  for (const { url } of servers) {
    const client = connect({}, url);
    await eventually('the end of the connections', async () => !String(await client.client('LIST')).includes(prefix));
  }
});

test('processes that name the hosts in another order have the same order', async () => {
  const prefix = ownPrefix();
  const orders = [servers, servers.toReversed(), [...servers.slice(1), ...servers.slice(0, 1)]];
  const all = await Promise.all(orders.map((hosts) => open(redlock(hosts, `?prefix=${prefix}&ttl=5s`))));
  let holders = 0;
  let done = 0;
  const work = all.flatMap((locks) =>
    Array.from({ length: 10 }, () =>
      locks.withLock('job', () => {
        holders += 1;
        expect(holders).toBe(1);
        holders -= 1;
        done += 1;
      }),
    ),
  );
  await Promise.all(work);
  expect(done).toBe(30);
});

test('it is TLS where it says redlocks:', async () => {
  const ports = await Promise.all(servers.map((server) => behindTls(server)));
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const tls = { ca: selfSigned.cert, servername: 'localhost' };
  const locks = await open({ url: `redlocks://${hosts}`, options: { tls, password, prefix: ownPrefix() } });
  await (await locks.acquire('job')).release();
  const error = await refusal(openLocks({ url: `redlock://${hosts}`, options: { password } }));
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(/wants TLS/) as string });
});

test('a service starts while a node is dead, and uses it when it has come', async () => {
  const three = await ownServers();
  const [, late, other] = three;
  await late.kill();
  const messages = listen();
  const started = performance.now();
  const locks = await open(redlock(three.toReversed(), '?ttl=2s'));
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(locks.traits).toMatchObject({ scope: 'network', fair: true, fencing: 'clock-bounded' });
  await locks.withLock('job', () => {});
  const member = { provider: 'combine', member: 'member 2 of 3 (redis)', index: 1 };
  expect(messages).toMatchObject([{ ...member, suspect: true, error: { code: 'LOCK_UNAVAILABLE' } }]);
  const error = messages[0]?.error as Error;
  expect(error.message).toContain(`ECONNREFUSED ${addressOf(late)}`);
  await late.restart();
  await eventually('the member that was dead', () => messages.some(({ suspect }) => !suspect));
  expect(messages.filter(({ suspect }) => !suspect)).toMatchObject([member]);
  await other.kill();
  expect(await locks.withLock('job', () => 'done')).toBe('done');
});

test('when too few nodes answer it says which, and leaves no connection', async () => {
  const three = await ownServers();
  await Promise.all([three[0].kill(), three[2].kill()]);
  const name = ownPrefix();
  const error = await refusal(openLocks(redlock(three.toReversed(), `?connectionName=${name}`)));
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { errors: [{}, {}] } });
  expect(error.message).toMatch(
    new RegExp(
      `^2 of 3 members did not open, and 2 are needed\\. member 1 of 3 \\(redis\\): .*ECONNREFUSED ${addressOf(three[0])} member 3 of 3 \\(redis\\): .*ECONNREFUSED ${addressOf(three[2])}$`,
    ),
  );
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
  const observer = connect({}, three[1].url);
  await eventually('the end of its connection', async () => !String(await observer.client('LIST')).includes(name));
});

test.each([
  [
    'an option of Redis',
    '?prefx=x',
    /^member 1 of 3 \(redis\): @locks\/redis: unknown option "prefx"\. Did you mean "prefix"/,
  ],
  [
    'an option of Locks',
    '?tll=x',
    /^member 1 of 3 \(redis\): @locks\/redis: unknown option "tll"\. Did you mean "ttl"/,
  ],
  [
    'an option of combine',
    '?fencng=false',
    /^combine: unknown option "fencng"\. Did you mean "fencing"\? Known options: need, /,
  ],
  [
    'another one of combine',
    '?membertimeout=1s',
    /^combine: unknown option "membertimeout"\. Did you mean "memberTimeout"\?/,
  ],
  ['a value of Redis', '?waiterTtl=soon', /^member 1 of 3 \(redis\): @locks\/redis: option "waiterTtl" must be/],
  ['a value of combine', '?need=most', /^combine: option "need" must be "majority" or "all", not "most"/],
])('%s that is wrong is named, with its member', async (_, query, message) => {
  const error = await refusal(openLocks(redlock(servers, query)));
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(message) as string });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
});

test('no option of Redis is taken for a misspelt one of combine', async () => {
  const { message } = await refusal(openLocks(redlock(servers, '?nothingLikeIt=1')));
  const known = /Known options: ([^.]+)\./.exec(message)?.[1]?.split(', ') ?? [];
  expect(known.length).toBeGreaterThan(10);
  for (const name of known) {
    const error = await refusal(openLocks(redlock(servers, `?${name}=${encodeURIComponent('\0')}`))).catch(
      () => undefined,
    );
    expect(error?.message ?? '').not.toMatch(/unknown option/);
  }
});
