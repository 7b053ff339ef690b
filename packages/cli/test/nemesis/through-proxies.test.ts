import { expect, test } from 'vitest';
import { throughProxies } from '../../src/nemesis/through-proxies.ts';

test.each([
  ['redis://user:pass@redis.internal/2', 'redis://user:pass@{host:0}:{port:0}/2', [['redis.internal', 6379]]],
  ['postgres://db:5433/locks?ttl=3s', 'postgres://{host:0}:{port:0}/locks?ttl=3s', [['db', 5433]]],
  [
    'etcd://a,b:2380,[::1]:9',
    'etcd://{host:0}:{port:0},{host:1}:{port:1},{host:2}:{port:2}',
    [
      ['a', 2379],
      ['b', 2380],
      ['::1', 9],
    ],
  ],
] as const)('the servers of %s are reached by proxies', (url, replaced, servers) => {
  expect(throughProxies({ url })).toEqual({
    args: { url: replaced },
    servers: servers.map(([host, port]) => ({ host, port })),
  });
});

test('the members of a composite are reached by proxies, each server of its own', () => {
  const members = ['redis://a', 'mysql://b/db'].map((url) => ({ url, options: { timeout: 2_000 } }));
  const { args, servers } = throughProxies({ provider: 'combine', options: { members } });
  expect(JSON.stringify(args)).toContain('mysql://{host:1}:{port:1}/db');
  expect(servers).toEqual([
    { host: 'a', port: 6379 },
    { host: 'b', port: 3306 },
  ]);
});

test.each([
  'rediss://a',
  'postgres://a/b?sslmode=verify-full',
  'sqlite:/tmp/locks.db',
  'locks',
  'redis+sentinel://a/main',
])('%s stays as it is', (url) => {
  expect(throughProxies(url)).toEqual({ args: url, servers: [] });
});
