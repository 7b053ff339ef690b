import { isLockError } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { printAddress, readConnectString } from '../../src/connection/address.ts';

test.each([
  ['a', [{ host: 'a', port: 2181 }], ''],
  ['a:2182', [{ host: 'a', port: 2182 }], ''],
  ['a:1,b:65535', [{ host: 'a', port: 1 }, { host: 'b', port: 65_535 }], ''], // prettier-ignore
  [
    'a, b',
    [
      { host: 'a', port: 2181 },
      { host: 'b', port: 2181 },
    ],
    '',
  ],
  ['127.0.0.1:2182', [{ host: '127.0.0.1', port: 2182 }], ''],
  [
    '[::1]:2182,[fe80::1%eth0]',
    [
      { host: '::1', port: 2182 },
      { host: 'fe80::1%eth0', port: 2181 },
    ],
    '',
  ],
  ['a/', [{ host: 'a', port: 2181 }], ''],
  [
    'host1:2181,[::1]:2182,host2/chroot/päth',
    [
      { host: 'host1', port: 2181 },
      { host: '::1', port: 2182 },
      { host: 'host2', port: 2181 },
    ],
    '/chroot/päth',
  ],
])('%s', (text, addresses, chroot) => {
  expect(readConnectString(text)).toEqual({ addresses, chroot });
});

describe('refused, with the way out', () => {
  test.each([
    ['', "@locks/zookeeper: the connect string names no server: write 'host1:2181,host2:2181'"],
    ['/a', "@locks/zookeeper: the connect string names no server: write 'host1:2181,host2:2181'"],
    ['a,,b', '@locks/zookeeper: the connect string has an empty server: take out the extra comma'],
    ['a,', '@locks/zookeeper: the connect string has an empty server: take out the extra comma'],
    [
      '::1',
      "@locks/zookeeper: server 1 of the connect string cannot be read: write 'host', 'host:port' or '[IPv6]:port'",
    ],
    [
      '[a]',
      "@locks/zookeeper: server 1 of the connect string cannot be read: write 'host', 'host:port' or '[IPv6]:port'",
    ],
    [
      'a:',
      '@locks/zookeeper: server 1 of the connect string cannot be read: its port must be a number from 1 to 65535',
    ],
    [
      'a:0',
      '@locks/zookeeper: server 1 of the connect string cannot be read: its port must be a number from 1 to 65535',
    ],
    [
      'a:65536',
      '@locks/zookeeper: server 1 of the connect string cannot be read: its port must be a number from 1 to 65535',
    ],
    [
      'a:1e3',
      '@locks/zookeeper: server 1 of the connect string cannot be read: its port must be a number from 1 to 65535',
    ],
    [
      'a b',
      "@locks/zookeeper: server 1 of the connect string cannot be read: write 'host', 'host:port' or '[IPv6]:port'",
    ],
    [
      'a//b',
      "@locks/zookeeper: the chroot of the connect string cannot be read: write '/a/b', without empty names, '.', '..' and control characters",
    ],
    [
      'a/b/',
      "@locks/zookeeper: the chroot of the connect string cannot be read: write '/a/b', without empty names, '.', '..' and control characters",
    ],
    [
      'a/../b',
      "@locks/zookeeper: the chroot of the connect string cannot be read: write '/a/b', without empty names, '.', '..' and control characters",
    ],
    ['user:secret@a:1', "@locks/zookeeper: the connect string has an '@': give credentials by the option 'auth'"],
  ])('%j', (text, message) => {
    try {
      readConnectString(text);
    } catch (error) {
      expect(isLockError(error, 'LOCK_MISCONFIGURED')).toBe(true);
      expect((error as Error).message).toBe(`${message}.`);
      return;
    }
    throw new Error('it was accepted');
  });
});

test('addresses in messages', () => {
  expect(
    [
      { host: 'a', port: 1 },
      { host: '::1', port: 2 },
    ].map(printAddress),
  ).toEqual(['a:1', '[::1]:2']);
});
