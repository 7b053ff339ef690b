import { EventEmitter } from 'node:events';
import { isLockError } from '@locks/core';
import { expect, test } from 'vitest';
import { readConfigOptions } from '../../src/options/config-options.ts';
import { readZookeeperOptions } from '../../src/options/options.ts';

const servers = 'one:2181,[::1]:2182,three/app';

function refusal(options: object): string {
  return messageOf(() => readZookeeperOptions(options));
}

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (isLockError(error) && error.code === 'LOCK_MISCONFIGURED') return error.message;
    throw error;
  }
  throw new Error('It was accepted.');
}

test('the defaults', () => {
  expect(readZookeeperOptions({ servers, acl: 'open' })).toEqual({
    addresses: [
      { host: 'one', port: 2181 },
      { host: '::1', port: 2182 },
      { host: 'three', port: 2181 },
    ],
    root: '/app/locks',
    recipe: 'mutex',
    sharedMarkers: [],
    knownPlaces: true,
    timeout: 5_000,
    sessionTimeout: 20_000,
    auth: [],
    acl: [{ scheme: 'world', id: 'anyone', permissions: 31 }],
    tls: undefined,
  });
});

test.each([
  ['one', '/', '/'],
  ['one/app', '/', '/app'],
  ['one', '/a/b', '/a/b'],
  ['one/app', '/a', '/app/a'],
])('servers %s with root %s: %s', (place, root, path) => {
  expect(readZookeeperOptions({ servers: place, root, acl: 'open' }).root).toBe(path);
});

test.each([
  'locks',
  '',
  '/locks/',
  '//locks',
  '/a/../b',
  '/.',
  '/zookeeper',
  '/zookeeper/x',
  '/a\u0001',
  '/\u{1f600}',
  7,
])('%j is no root', (root) => {
  expect(refusal({ servers, root, acl: 'open' })).toContain('option "root" must be the path of a node');
});

test('without credentials, option "acl" must be given', () => {
  const message = refusal({ servers });
  expect(message).toContain('option "auth"');
  expect(message).toContain('acl: "open"');
  expect(refusal({ servers, acl: 'creator' })).toContain('client certificate');
  // A certificate need not be one of a client. A user that relies on it gives option "acl".
  expect(refusal({ servers, tls: true })).toContain('option "auth"');
});

test('the creator is the user with the credentials, or the certificate', () => {
  const creator = [{ scheme: 'auth', id: '', permissions: 31 }];
  const auth = { scheme: 'digest', credentials: 'me:secret' };
  expect(readZookeeperOptions({ servers, auth }).acl).toEqual(creator);
  expect(readZookeeperOptions({ servers, username: 'me', password: 'secret' }).acl).toEqual(creator);
  expect(readZookeeperOptions({ servers, acl: 'creator', tls: { cert: '…' } }).acl).toEqual(creator);
  expect(readZookeeperOptions({ servers, auth, acl: 'open' }).acl).toMatchObject([{ id: 'anyone' }]);
});

test('a list of one’s own', () => {
  const acl = [{ scheme: 'ip', id: '10.0.0.0/8', permissions: 31 }];
  expect(readZookeeperOptions({ servers, acl }).acl).toEqual(acl);
});

test('credentials of several schemes', () => {
  const { auth } = readZookeeperOptions({
    servers,
    username: 'me',
    password: 'pass:word',
    auth: [{ scheme: 'x', credentials: new Uint8Array([1, 255]) }],
  });
  expect(auth).toEqual([
    { scheme: 'digest', credentials: Buffer.from('me:pass:word') },
    { scheme: 'x', credentials: Buffer.from([1, 255]) },
  ]);
});

test.each([
  [{ username: 'me' }, 'option "password" is missing'],
  [{ password: 'secret' }, 'option "username" is missing'],
  [{ username: 'm:e', password: 'secret' }, 'option "username" must be a string without ":"'],
  [{ auth: { scheme: 'digest' } }, 'option "auth" must be'],
  [{ auth: [] }, 'option "auth" must be'],
  [{ auth: 'me:secret' }, 'option "auth" must be'],
  [{ acl: 'everyone' }, 'option "acl" must be "creator", "open" or a list'],
  [{ acl: [] }, 'option "acl" must be'],
  [{ acl: [{ scheme: 'world', id: 'anyone', permissions: 32 }] }, 'option "acl" must be'],
  [{ acl: 'open', tls: 7 }, 'option "tls" must be'],
  [{ acl: 'open', recipe: 'readwrite' }, 'option "recipe" must be "mutex" or "read-write" or "semaphore"'],
  [{ acl: 'open', sharedMarkers: [''] }, 'option "sharedMarkers" must be'],
  [{ acl: 'open', sessionTimeout: 49 }, 'option "sessionTimeout" must be an integer from 50'],
  [{ acl: 'open', sessiontimeout: 5_000 }, 'Did you mean "sessionTimeout"?'],
])('%j is refused', (options, message) => {
  const shown = refusal({ servers, ...options });
  expect(shown).toContain(message);
  expect(shown).not.toContain('secret');
});

test('servers are needed, and shown without what may be credentials', () => {
  expect(refusal({ acl: 'open' })).toContain('option "servers" is missing');
  expect(refusal({ servers: 'me:secret@one', acl: 'open' })).not.toContain('secret');
  expect(refusal({ servers: 7, acl: 'open' })).toContain('option "servers" must be');
});

test('a URL has it all', () => {
  const { provider, connectTimeout } = readConfigOptions({
    url: 'zookeeper://m%40e:p%2Fa%3Ass@one:2181,[::1]:2182/my%20app',
    options: {
      root: '/locks/a',
      sessionTimeout: '20s',
      sharedMarkers: 'read-,r-',
      knownPlaces: 'true',
      connectTimeout: '1s',
    },
  });
  expect(provider).toMatchObject({
    addresses: [
      { host: 'one', port: 2181 },
      { host: '::1', port: 2182 },
    ],
    root: '/my app/locks/a',
    sessionTimeout: 20_000,
    sharedMarkers: ['read-', 'r-'],
    auth: [{ scheme: 'digest', credentials: Buffer.from('m@e:p/a:ss') }],
    acl: [{ scheme: 'auth' }],
  });
  expect(connectTimeout).toBe(1_000);
});

test('options are stronger than the URL, and a user does not get the password of another', () => {
  const url = 'ZooKeeper://me:secret@one/app';
  const read = (options: object): unknown => readConfigOptions({ url, options: { ...options } }).provider;
  expect(read({ username: 'you', password: 'p' })).toMatchObject({
    auth: [{ scheme: 'digest', credentials: Buffer.from('you:p') }],
    root: '/app/locks',
  });
  expect(read({ servers: 'two' })).toMatchObject({ addresses: [{ host: 'two' }], root: '/locks' });
  expect(messageOf(() => read({ username: 'you' }))).toContain('option "password" is missing');
});

test.each([
  undefined,
  'zookeeper:one',
  'zookeeper://',
  'zookeeper://one:secret',
  'zookeeper://me@one',
  'zookeeper://:secret@one',
  'zookeeper://me:sec/ret@one',
  'zookeeper://me:%secret@one',
  'zookeeper://one,,two',
  'zookeeper://one//a',
  'redis://one',
])('%s cannot be read', (url) => {
  const message = messageOf(() => readConfigOptions({ url, options: { acl: 'open' } }));
  expect(message).toContain('write zookeeper://user:password@host1:2181,host2:2181/chroot');
  expect(message).not.toMatch(/sec|ret/);
});

test('a client in place of options is told as one', () => {
  const client = Object.assign(new EventEmitter(), { getChildren() {}, connect() {} });
  expect(refusal(client)).toMatch(/takes options: pass/);
});
