import { readFile } from 'node:fs/promises';
import { openLocks } from '@locks/core';
import { redisCommand, startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/redis.ts';
import { documented } from '../support/rights.ts';
import { opened } from '../support/over.ts';
import { misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

const [set, cluster] = await Promise.all([
  startRedisSentinel({ tls: true }),
  startRedisCluster({ tls: true, replicas: 0 }),
]);
afterAll(() => Promise.all([set.stop(), cluster.stop()]));

const page = await readFile(new URL('../../../../docs/backends/redis-topologies.md', import.meta.url), 'utf8');
const [, ofSentinelUser = ''] = /^ACL SETUSER watcher on >… ([^`]*)^```$/m.exec(page) ?? [];
const [, inCluster = ''] = /In a Cluster the user also needs `([^`]*)`/.exec(page) ?? [];

/** `url` with the user that `addUser` makes. */
const withUser = (url: string): string => url.replace('//', '//locker:p%40ss%3A%2Fword@');

async function addUser(servers: readonly ServerHandle[], rights: readonly string[]): Promise<void> {
  const rules = ['reset', 'on', '>p@ss:/word', 'resetchannels', ...rights];
  for (const server of servers) await redisCommand(server, 'ACL', 'SETUSER', 'locker', ...rules);
}

/** Locks that wait for each other: the connection for messages is used too. */
async function use(url: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const locks = await opened(openLocks({ url, options }));
  const leases = await Promise.all(['a', 'b', 'c', 'd'].map((key) => locks.acquire(key)));
  const next = leases.map(({ key }) => locks.acquire(key));
  for (const { key } of leases) await eventually('a place', async () => (await locks.inspect(key)).waiters === 1);
  await Promise.all(leases.map((lease) => lease.release()));
  for (const lease of next) expect(await (await lease).release()).toBe(true);
}

/** How many connections `user` has over TLS. */
async function connectionsOf(
  user: string,
  servers: readonly ServerHandle[],
  tlsPorts: readonly number[],
): Promise<number> {
  const lists = await Promise.all(servers.map(async (server) => String(await redisCommand(server, 'CLIENT', 'LIST'))));
  const overTls = (line: string): boolean => tlsPorts.some((port) => line.includes(`laddr=127.0.0.1:${port} `));
  return lists.flatMap((list) => list.split('\n')).filter((line) => line.includes(`user=${user} `) && overTls(line))
    .length;
}

/** What was denied, but for the name of the client: servers before 7.2 do not know that command. */
async function denied(servers: readonly ServerHandle[]): Promise<readonly string[]> {
  const logs = await Promise.all(servers.map((server) => redisCommand(server, 'ACL', 'LOG')));
  return logs
    .flatMap((log) => (log as readonly unknown[][]).map((entry) => String(entry[7])))
    .filter((what) => !what.startsWith('client'));
}

describe('over TLS, with the rights of the documentation', () => {
  test('a user works with Sentinels, another one asks them, and both follow a failover', async () => {
    const { url, ports, ca } = set.tls!;
    await addUser(set.servers, documented);
    const rules = ['reset', 'on', '>wa:tch', 'resetchannels', ...ofSentinelUser.trim().split(/\s+/)];
    for (const sentinel of set.sentinels) await redisCommand(sentinel, 'ACL', 'SETUSER', 'watcher', ...rules);
    const options = { tls: { ca }, sentinelUsername: 'watcher', sentinelPassword: 'wa:tch' };
    const locks = await opened(openLocks({ url: withUser(url), options }));
    await locks.withLock('job', () => {});
    expect(await connectionsOf('locker', set.servers, set.tls!.serverPorts)).toBeGreaterThan(0);
    await use(withUser(url), options);
    await set.failOver();
    await eventually('the next master', () => locks.withLock('job', () => true).catch(() => false), 20_000);
    await use(withUser(url), options);
    expect(await denied([...set.servers, ...set.sentinels])).toEqual([]);
    expect(ports).not.toContain(set.sentinels[0]?.port);
  });

  test('a user works in a Cluster', async () => {
    const { url, ports, ca } = cluster.tls!;
    await addUser(cluster.nodes, [...documented, ...inCluster.split(' ')]);
    const locks = await opened(openLocks({ url: withUser(url), options: { tls: { ca } } }));
    for (const key of ['a', 'b', 'c', 'd']) await locks.withLock(key, () => {});
    expect(await connectionsOf('locker', cluster.nodes, ports)).toBe(3);
    await use(withUser(url), { tls: { ca } });
    expect(await denied(cluster.nodes)).toEqual([]);
  });
});

test('what cannot work is a misconfiguration, and the message says what to change', async () => {
  const tls = { ca: set.tls!.ca };
  const [sentinels, nodes] = [set.tls!.url, cluster.tls!.url];
  const wrong: readonly [url: string, options: object, message: RegExp][] = [
    [sentinels, {}, /self-signed certificate\. Check option "tls"/],
    [nodes, {}, /self-signed certificate\. Check option "tls"/],
    [sentinels.replace('rediss', 'redis'), {}, /wants TLS; write rediss\+sentinel:\/\//],
    [nodes.replace('rediss', 'redis'), {}, /wants TLS; write rediss\+cluster:\/\//],
    [set.url.replace('redis', 'rediss'), { tls }, /has no TLS; write redis\+sentinel:\/\//],
    [cluster.url.replace('redis', 'rediss'), { tls }, /has no TLS; write redis\+cluster:\/\//],
    [sentinels.replace('//', '//locker:no@'), { tls }, /Check the user name and the password/],
    [nodes.replace('//', '//locker:no@'), { tls }, /Check the user name and the password/],
    [sentinels, { tls, sentinelPassword: 'no', sentinelUsername: 'watcher' }, /Check the user name and the password/],
    [sentinels.replace('/main', '/other'), { tls }, /"other".*option "sentinelName"/],
  ];
  for (const [url, options, message] of wrong) {
    const failure = await refusal(openLocks({ url, options: { connectTimeout: 500, ...options } }));
    expect(failure, url).toMatchObject(misconfigured(message));
    expect(String(failure).length).toBeLessThan(330);
  }
});
