import { expect, test } from 'vitest';
import { hostList, printHost, readAuthority, readHost } from '../../src/options/hosts.ts';

test.each<readonly [string, ReturnType<typeof readHost>]>([
  ['a', { host: 'a', port: 6379 }],
  ['a:1', { host: 'a', port: 1 }],
  ['10.0.0.1:65535', { host: '10.0.0.1', port: 65_535 }],
  ['[::1]', { host: '::1', port: 6379 }],
  ['[fe80::1%eth0]:7', { host: 'fe80::1%eth0', port: 7 }],
  ['', undefined],
  ['a:0', undefined],
  ['a:65536', undefined],
  ['a:x', undefined],
  ['::1', undefined],
  ['[a]:1', undefined],
  ['user@a', undefined],
  ['a b', undefined],
  ['a/b', undefined],
])('%j is read as a host', (text, host) => {
  expect(readHost(text, 6379)).toEqual(host);
});

test('a host is printed as it is read', () => {
  expect(['a:1', '[::1]:2'].map((text) => printHost(readHost(text, 6379)!))).toEqual(['a:1', '[::1]:2']);
});

test.each<readonly [unknown, boolean]>([
  [['a:1', 'b'], true],
  [[], false],
  [['a:1', 2], false],
  [['a:1,b:2'], false],
  ['a:1', false],
])('a list of hosts: %j', (value, accepted) => {
  expect(hostList(6379).accepts(value)).toBe(accepted);
});

test.each<readonly [string, ReturnType<typeof readAuthority>]>([
  ['', { hosts: [{ host: '127.0.0.1', port: 6379 }], username: undefined, password: undefined }],
  ['me@a', { hosts: [{ host: 'a', port: 6379 }], username: 'me', password: undefined }],
  [':p@a', { hosts: [{ host: 'a', port: 6379 }], username: undefined, password: 'p' }],
  [
    'm%40e:a:b%2F@a,b:2',
    {
      hosts: [
        { host: 'a', port: 6379 },
        { host: 'b', port: 2 },
      ],
      username: 'm@e',
      password: 'a:b/',
    },
  ],
  ['me:p@a@b', undefined],
  ['me:%@a', undefined],
  ['a,,b', undefined],
])('%j is read as user and hosts', (text, authority) => {
  expect(readAuthority(text, 6379)).toEqual(authority);
});
