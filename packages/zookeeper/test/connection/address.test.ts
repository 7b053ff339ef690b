import { isLockError } from '@locks/core';
import { expect, test } from 'vitest';
import { readConnectString } from '../../src/connection/address.ts';

test.each<readonly [string, readonly (readonly [string, number])[], string]>([
  ['a', [['a', 2181]], ''],
  ['a:2182', [['a', 2182]], ''],
  ['a:1,b:65535', [['a', 1], ['b', 65_535]], ''], // prettier-ignore
  ['a, b', [['a', 2181], ['b', 2181]], ''], // prettier-ignore
  ['127.0.0.1:2182', [['127.0.0.1', 2182]], ''],
  ['[::1]:2182,[fe80::1%eth0]', [['::1', 2182], ['fe80::1%eth0', 2181]], ''], // prettier-ignore
  ['a/', [['a', 2181]], ''],
  ['host1:2181,[::1]:2182,host2/chroot/päth', [['host1', 2181], ['::1', 2182], ['host2', 2181]], '/chroot/päth'], // prettier-ignore
])('%s', (text, servers, chroot) => {
  expect(readConnectString(text)).toEqual({ addresses: servers.map(([host, port]) => ({ host, port })), chroot });
});

const none = "names no server: write 'host1:2181,host2:2181'";
const empty = 'has an empty server: take out the extra comma';
const unreadable = "cannot be read: write 'host', 'host:port' or '[IPv6]:port'";
const port = 'cannot be read: its port must be a number from 1 to 65535';
const chroot = "cannot be read: write '/a/b', without empty names, '.', '..' and control characters";

test.each([
  ['', 'the connect string', none],
  ['/a', 'the connect string', none],
  ['a,,b', 'the connect string', empty],
  ['a,', 'the connect string', empty],
  ['::1', 'server 1 of the connect string', unreadable],
  ['[a]', 'server 1 of the connect string', unreadable],
  ['a b', 'server 1 of the connect string', unreadable],
  ['a:', 'server 1 of the connect string', port],
  ['a:0', 'server 1 of the connect string', port],
  ['a:65536', 'server 1 of the connect string', port],
  ['a:1e3', 'server 1 of the connect string', port],
  ['a//b', 'the chroot of the connect string', chroot],
  ['a/b/', 'the chroot of the connect string', chroot],
  ['a/../b', 'the chroot of the connect string', chroot],
  ['user:secret@a:1', 'the connect string', "has an '@': give credentials by the option 'auth'"],
])('%j is refused, with the way out', (text, what, why) => {
  expect(() => readConnectString(text)).toThrow(
    expect.toSatisfy(
      (error: Error) =>
        isLockError(error, 'LOCK_MISCONFIGURED') && error.message === `@locks/zookeeper: ${what} ${why}.`,
    ),
  );
});
