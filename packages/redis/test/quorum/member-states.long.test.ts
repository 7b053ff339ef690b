import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks, subscribe } from '@locks/core';
import type { Locks, MemberMessage } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { connect, eventually } from '../support/redis.ts';
import { opened, stopAfterTest } from '../support/over.ts';

interface Quorum {
  readonly servers: readonly [ServerHandle, ServerHandle, ServerHandle];
  /** Of the second server, as a user that is not restricted. */
  readonly admin: Redis;
  readonly locks: Locks;
  readonly told: readonly MemberMessage[];
}

const second = { provider: 'combine', index: 1, member: 'member 2 of 3 (redis)' };

async function quorum(memberOptions: object = {}): Promise<Quorum> {
  // The user is there as soon as a server is back.
  const args = ['--user', 'app', 'on', '>word', '~*', '&*', '+@all'];
  const starting = [1, 2, 3].map(() => stopAfterTest(startRedis({ args })));
  const servers = (await Promise.all(starting)) as [ServerHandle, ServerHandle, ServerHandle];
  const told: MemberMessage[] = [];
  // On a busy machine the others may be slow for a moment.
  onTestFinished(subscribe('locks:member', (message) => void (message.index === second.index && told.push(message))));
  const members = servers.map(({ host, port }) => ({
    url: `redis://app:word@${host}:${port}`,
    options: memberOptions,
  }));
  const locks = await opened(openLocks({ provider: 'combine', ttl: '5s', options: { members } }));
  const admin = connect({}, servers[1].url);
  await load(locks);
  expect(told).toEqual([]);
  return { servers, admin, locks, told };
}

async function permit(client: Redis, ...rights: readonly string[]): Promise<void> {
  await client.acl('SETUSER', 'app', 'on', '>word', '~*', '&*', ...rights);
}

/** Many calls, some of them at once, and a lease that is renewed meanwhile. */
async function load(locks: Locks): Promise<void> {
  const lease = await locks.acquire('long');
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([1, 2, 3, 4].map((key) => locks.withLock(`${key}`, () => {})));
    await lease.renew();
    await sleep(20);
  }
  await lease.release();
}

/** Ways to refuse, what the message says, and how it ends. */
const refusals: readonly (readonly [
  name: string,
  reason: RegExp,
  begin: (quorum: Quorum) => Promise<unknown>,
  end: (quorum: Quorum) => Promise<unknown>,
])[] = [
  ['is killed', /ECONNREFUSED/, ({ servers }) => servers[1].kill(), ({ servers }) => servers[1].restart()],
  [
    'asks for another password',
    /WRONGPASS|NOAUTH/,
    async ({ admin }) => {
      await admin.acl('SETUSER', 'app', 'resetpass', '>other');
      await admin.call('CLIENT', 'KILL', 'USER', 'app');
    },
    ({ admin }) => admin.acl('SETUSER', 'app', '>word'),
  ],
  [
    'takes a right away',
    /NOPERM/,
    ({ admin }) => permit(admin, '-evalsha', '-eval'),
    ({ admin }) => permit(admin, '+@all'),
  ],
  [
    'is a replica now',
    /READONLY/,
    ({ admin }) => admin.replicaof('127.0.0.1', 1),
    ({ admin }) => admin.replicaof('NO', 'ONE'),
  ],
  [
    'has no memory left',
    /OOM/,
    ({ admin }) => admin.config('SET', 'maxmemory', '1'),
    ({ admin }) => admin.config('SET', 'maxmemory', '0'),
  ],
];

test.each(refusals)(
  'a member that %s is told once with the reason, and once when it is well',
  async (_, reason, begin, end) => {
    const setting = await quorum();
    const { locks, told } = setting;
    await begin(setting);
    await eventually('the refusal', async () => {
      await load(locks);
      return told.length > 0;
    });
    for (let round = 0; round < 3; round += 1) await load(locks);
    expect(told).toMatchObject([{ ...second, state: 'refuses', suspect: true }]);
    expect(String(told[0]?.error)).toMatch(reason);
    await end(setting);
    await eventually('the end of the refusals', async () => {
      await load(locks);
      return told.length > 1;
    });
    await load(locks);
    expect(told.slice(1)).toEqual([{ ...second, state: 'answers', suspect: false }]);
  },
);
