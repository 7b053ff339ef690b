import { inspect } from 'node:util';
import { openLocks } from '@locks/core';
import { expect, inject, test } from 'vitest';
import { connect, ownPrefix } from '../support/redis.ts';
import { opened } from '../support/over.ts';
import { misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

test('a URL is all it takes; its query carries the options of both halves', async () => {
  const prefix = ownPrefix();
  const locks = await opened(
    openLocks(`${inject('redisUrl')}/3?prefix=${prefix}&ttl=10s&label=worker-7&connectionName=locks`),
  );
  const lease = await locks.acquire('job');
  expect(lease.remaining).toBeLessThan(10_000);
  expect(lease.owner).toMatch(/^worker-7\//);
  const client = connect({ db: 3 });
  expect(await client.get(`${prefix}job`)).toBe(lease.owner);
  expect(await client.client('LIST')).toContain('name=locks');
  await lease.release();
});

test('the scheme may be that of Valkey, and the URL an object', async () => {
  const prefix = ownPrefix();
  const plain = `${inject('redisUrl')}/3?prefix=${prefix}&label=worker-7`;
  const valkey = plain.replace(/^redis:/, 'valkey:');
  for (const url of [valkey, new URL(plain), new URL(valkey), { url: new URL(valkey) }]) {
    const locks = await openLocks(url);
    const lease = await locks.acquire('job');
    expect(lease.owner).toMatch(/^worker-7\//);
    expect(await connect({ db: 3 }).get(`${prefix}job`)).toBe(lease.owner);
    await locks.close();
  }
});

const secret = 'hunter2';

test.each([
  ['a path that is no database', (url: string) => `${url}/main`, /must be the number of the database/],
  ['an unreadable password', () => `redis://x:${secret}%@127.0.0.1`, /cannot be read/],
  ['an unreadable URL', () => `redis://x:${secret}@host:port`, /cannot be read/],
  ['an unknown option', (url: string) => `${url}?prefx=app`, /unknown option "prefx". Did you mean "prefix"\?/],
  [
    'a misspelt option of Locks',
    (url: string) => `${url}?tll=5s`,
    /unknown option "tll". Did you mean "ttl" or "tls"\?/,
  ],
  ['a wrong option', (url: string) => `${url}?waiterTtl=soon`, /option "waiterTtl".*"soon"/],
])('%s is told at once, without the password', async (_what, make, message) => {
  const error = await refusal(openLocks(make(inject('redisUrl'))));
  expect(error).toMatchObject(misconfigured(message));
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
});

test('a password that is no text is told as what it is', async () => {
  const error = await refusal(openLocks({ url: inject('redisUrl'), options: { password: 4711 } }));
  expect(error.message).toBe(
    '@locks/redis: option "password" must be a string, or a function that returns it, not a number.',
  );
});

test('what Redis cannot offer is refused by requires', async () => {
  const error = await refusal(openLocks(inject('redisUrl'), { requires: { fencing: 'strict' } }));
  expect(error).toMatchObject(misconfigured('fencing: strict'));
});
