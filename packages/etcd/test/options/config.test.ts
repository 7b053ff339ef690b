import { describe, expect, test } from 'vitest';
import { readEtcdUrl } from '../../src/options/etcd-url.ts';
import { refusal } from '../support/refusal.ts';

describe('a URL', () => {
  test('names members, a user and a prefix', () => {
    expect(readEtcdUrl('etcd://u%40:p%2F@a:1,[::1]:2,c/app/locks')).toEqual({
      secure: false,
      hosts: [
        { host: 'a', port: 1 },
        { host: '::1', port: 2 },
        { host: 'c', port: 2379 },
      ],
      prefix: 'app/locks',
      username: 'u@',
      password: 'p/',
    });
    const defaults = { prefix: undefined, username: undefined, password: undefined };
    expect(readEtcdUrl('ETCDS://')).toEqual({ secure: true, hosts: [{ host: '127.0.0.1', port: 2379 }], ...defaults });
  });

  test.each([
    'etcd://user:secret@a:99999',
    'etcd://user:secret@a,',
    'etcd://user:secret@b@a',
    'etcd://us%er:secret@a',
    'etcd://user:secret@a b',
    'etcd:user:secret',
    'etcd:///user:secret@a',
    'etcd://secret?b',
    'etcd://secret%b',
  ])('%s cannot be read, and is not shown', async (url) => {
    const error = await refusal({ url });
    expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(error.message).toContain('write etcd://user:password@host1:2379,host2:2379/prefix');
    expect(error.message).not.toContain('secret');
  });

  test('of another scheme is refused by its scheme', async () => {
    expect((await refusal({ url: 'http://a:secret@b' })).message).toBe(
      '@locks/etcd: its URL must start with etcd:// or etcds://, not http:.',
    );
  });
});

test.each([
  [{ prefix: 'a b' }, 'option "prefix"'],
  [{ prefix: '' }, 'option "prefix"'],
  [{ waiterTtl: 10 }, 'option "waiterTtl"'],
  [{ timeout: 'soon' }, 'option "timeout"'],
  [{ endpoints: [] }, 'option "endpoints"'],
  [{ endpoints: ['a:1,b:2'] }, 'option "endpoints"'],
  [{ endpoints: ['a'], url: 'etcd://b' }, 'the members are set twice'],
  [{ url: 'etcds://a', tls: false }, 'option "tls" is false'],
  [{ username: 'user' }, 'option "password" is missing'],
  [{ password: 'secret' }, 'option "username" is missing'],
  [{ pasword: 'secret' }, '"pasword"'],
])('%o is refused, and named', async (options: object, named: string) => {
  const error = await refusal(options);
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect(error.message).toContain(named);
  expect(error.message).not.toContain('secret');
});
