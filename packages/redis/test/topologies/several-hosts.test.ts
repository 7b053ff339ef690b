import { openLocks } from '@locks/core';
import { unusedPort } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { readRedisUrl } from '../../src/options/redis-url.ts';
import { misconfigured, refusal, unavailable } from '../../../core/test/support/lock-error.ts';

describe('a URL says', () => {
  const a = { host: 'a', port: 1 };
  test.each([
    ['redis://a:1/2', { kind: 'server', secure: false, hosts: [a], db: 2 }],
    ['redis://', { kind: 'server', secure: false, hosts: [{ host: '127.0.0.1', port: 6379 }] }],
    ['rediss://[::1]', { kind: 'server', secure: true, hosts: [{ host: '::1', port: 6379 }] }],
    [
      'redis+sentinel://a:1,b/main',
      { kind: 'sentinel', secure: false, hosts: [a, { host: 'b', port: 26_379 }], name: 'main' },
    ],
    [
      'REDISS+Sentinel://u:p%40%2F@a:1,[::1]:2/main%20one/3',
      {
        kind: 'sentinel',
        secure: true,
        hosts: [a, { host: '::1', port: 2 }],
        name: 'main one',
        username: 'u',
        password: 'p@/',
        db: 3,
      },
    ],
    [
      'redis+cluster://:secret@a:1,b',
      { kind: 'cluster', secure: false, hosts: [a, { host: 'b', port: 6379 }], password: 'secret' },
    ],
    ['rediss+cluster://a:1/', { kind: 'cluster', secure: true, hosts: [a] }],
    ['valkey://a:1/2', { kind: 'server', secure: false, hosts: [a], db: 2 }],
    ['valkeys+cluster://a:1', { kind: 'cluster', secure: true, hosts: [a] }],
  ])('%s', (url, expected) => {
    expect(readRedisUrl(url)).toEqual(expected);
  });
});

describe('a URL that cannot be read is refused without its password', () => {
  test.each([
    ['redis://:hush@a,b', /redis:\/\/user:password@host:6379\/0/],
    ['redis://:hush@a:0', /cannot be read/],
    ['redis://:hush@a:70000', /cannot be read/],
    ['redis+cluster://:hush@a,b@c', /redis\+cluster:\/\//],
    ['redis+cluster://:hush@a,,b', /redis\+cluster:\/\//],
    ['redis+cluster://:hush@a b', /redis\+cluster:\/\//],
    ['redis+cluster://:hush%@a', /percent-encoded/],
    ['redis+cluster://:hush@a/2', /one database/],
    ['redis+sentinel://:hush@a,b', /name of the master at the Sentinels/],
    ['redis+sentinel://:hush@a,b/', /name of the master at the Sentinels/],
    ['redis+sentinel://:hush@a/main/x', /must be the number of the database/],
    ['redis+sentinel://:hush@a/main/1/2', /number of the database/],
    ['redis+sentinel:///user:hush@a', /cannot be read/],
    ['redis:///user:hush@a', /cannot be read/],
    ['redis://hush#b', /cannot be read/],
  ])('%s', async (url, message) => {
    const failure = await refusal(openLocks(url));
    expect(failure).toMatchObject(misconfigured(message));
    expect(String(failure)).not.toContain('hush');
  });
});

describe('options that do not fit are refused before a connection is made', () => {
  test.each<[options: object, message: RegExp]>([
    [{ url: 'redis://a', options: { sentinels: ['b'] } }, /set twice/],
    [{ provider: 'redis', options: { sentinels: ['a'], nodes: ['b'] } }, /set twice/],
    [{ provider: 'redis', options: { sentinels: ['a:1'] } }, /option "sentinelName" is missing/],
    [{ provider: 'redis', options: { sentinels: [] } }, /option "sentinels" must be a list of hosts/],
    [{ provider: 'redis', options: { nodes: ['a:x'] } }, /option "nodes" must be a list of hosts/],
    [{ url: 'redis://a', options: { sentinelPassword: 'hush' } }, /option "sentinelPassword" needs Sentinels/],
    [{ url: 'redis+cluster://a', options: { db: 1 } }, /option "db" is 1, and a Cluster has database 0 only/],
    [{ url: 'redis+cluster://a?restartGuard=30s' }, /option "restartGuard" is for one server or Sentinels/],
    [{ url: 'rediss+cluster://a', options: { tls: false } }, /option "tls" is false/],
  ])('%j', async (config, message) => {
    const failure = await refusal(openLocks(config));
    expect(failure).toMatchObject({ message: expect.stringMatching(message) as string });
    expect(String(failure)).not.toContain('hush');
  });
});

test('Sentinels and nodes that are not there are an outage, in time', async () => {
  const ports = [await unusedPort(), await unusedPort()];
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  for (const url of [`redis+sentinel://${hosts}/main`, `redis+cluster://${hosts}`]) {
    const began = performance.now();
    await expect(openLocks({ url, options: { connectTimeout: 400 } })).rejects.toMatchObject(
      unavailable(`None of ${hosts.replace(',', ', ')} could be used`),
    );
    expect(performance.now() - began).toBeLessThan(3_000);
  }
});
