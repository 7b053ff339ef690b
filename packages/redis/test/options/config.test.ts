import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { openLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { selfSigned, startRedis } from '@locks/test-servers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connect, eventually, ownPrefix } from '../support/redis.ts';
import { refusal } from '../support/refusal.ts';
import { behindTls } from '../support/tls.ts';

test('a URL is all it takes; its query carries the options of both halves', async () => {
  const prefix = ownPrefix();
  const locks = await openLocks(`${inject('redisUrl')}/3?prefix=${prefix}&ttl=10s&label=worker-7&connectionName=locks`);
  onTestFinished(() => locks.close());
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

test('close ends every connection that it made', async () => {
  const observer = connect();
  const named = ownPrefix();
  const locks = await openLocks({ url: inject('redisUrl'), options: { connectionName: named, prefix: ownPrefix() } });
  const lease = await locks.acquire('job');
  const waiting = locks.acquire('job');
  waiting.catch(() => {});
  await eventually('the subscriber', async () => String(await observer.client('LIST')).split(named).length === 3);
  await locks.close();
  await expect(waiting).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  expect(lease.held).toBe(false);
  await eventually('the end of both connections', async () => !String(await observer.client('LIST')).includes(named));
  expect(await observer.exists(`${named}job`)).toBe(0);
});

test('user, password, database and TLS come from the configuration', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const admin = connect({}, server.url);
  await admin.acl('SETUSER', 'locker', 'on', '>p@ss:/word', '~*', '&*', '+@all');
  const port = await behindTls(server);
  const tls = { ca: selfSigned.cert, servername: 'localhost' };
  const locks = await openLocks({
    url: `rediss://127.0.0.1:${port}`,
    options: { username: 'locker', password: 'p@ss:/word', db: 2, tls },
  });
  const lease = await locks.acquire('job');
  await admin.select(2);
  expect(await admin.get('locks:job')).toBe(lease.owner);
  expect(await admin.client('LIST')).toContain('user=locker');
  await locks.close();
  const viaUrl = await openLocks({ url: `rediss://locker:p%40ss%3A%2Fword@127.0.0.1:${port}/2`, options: { tls } });
  await (await viaUrl.acquire('job')).release();
  await viaUrl.close();
});

test('TLS that the two sides do not agree on is a misconfiguration, and the message says what to change', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const secure = await behindTls(server);
  const strict = await behindTls(server, { requestCert: true, ca: selfSigned.cert });
  const web = createHttpServer((_request, response) => void response.end('Not Redis'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void web.close());
  const { port: webPort } = web.address() as AddressInfo;
  const wrong: readonly [url: string, options: object, message: RegExp][] = [
    [`rediss://127.0.0.1:${server.port}`, {}, /has no TLS; write redis:\/\//],
    [`redis://127.0.0.1:${server.port}`, { tls: true }, /has no TLS; write redis:\/\//],
    [`redis://127.0.0.1:${secure}`, {}, /wants TLS; write rediss:\/\//],
    [`rediss://127.0.0.1:${secure}`, {}, /self-signed certificate\. Check option "tls"/],
    [`redis://127.0.0.1:${secure}`, { tls: { ca: 'no certificate' } }, /self-signed certificate|no start line/],
    [`rediss://127.0.0.1:${secure}`, { tls: { cert: 'none', key: 'none' } }, /no start line/],
    [`rediss://127.0.0.1:${strict}`, { tls: { rejectUnauthorized: false } }, /certificate required/],
    [`rediss://127.0.0.1:${secure}`, { tls: false }, /option "tls" is false, and rediss: is TLS/],
    [`rediss://127.0.0.1:${webPort}`, {}, /wrong version number/],
    [`redis://127.0.0.1:${webPort}`, {}, /is not Redis; check host and port/],
  ];
  for (const [url, options, message] of wrong) {
    const error = await refusal(openLocks({ url, options: { connectTimeout: '1s', ...options } }));
    expect(error, url).toMatchObject({ code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(message) as string });
    expect(error.message.length).toBeLessThan(300);
  }
  const locks = await openLocks({
    url: `redis://127.0.0.1:${secure}`,
    options: { tls: { rejectUnauthorized: false }, connectTimeout: '5s' },
  });
  await locks.close();
}, 20_000);

test('a server that is down is told by the error of its connection', async () => {
  const server = await startRedis();
  const locks = await openLocks({ url: server.url, options: { timeout: '1s' } });
  onTestFinished(() => locks.close());
  await server.stop();
  const error = await locks.tryAcquire('job').catch((reason: unknown) => reason as LockError);
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  // The connection may be seen to break before it is seen that there is no other.
  await eventually('the refusal', async () => {
    const next = (await locks.inspect('job').catch((reason: unknown) => reason)) as LockError;
    expect(next.message).not.toMatch(/max retries/);
    return next.message.includes(`connect ECONNREFUSED 127.0.0.1:${server.port}`);
  });
  await expect(locks.tryAcquire('job')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { message: expect.stringContaining(`connect ECONNREFUSED 127.0.0.1:${server.port}`) as string },
  });
});

const secret = 'hunter2';

test.each([
  [
    'a wrong password',
    (url: string) => url.replace('redis://', `redis://stranger:${secret}@`),
    'LOCK_MISCONFIGURED',
    /Check the user name and the password/,
  ],
  ['a port where nothing listens', () => `redis://x:${secret}@127.0.0.1:1`, 'LOCK_UNAVAILABLE', /ECONNREFUSED/],
  ['a database that does not exist', (url: string) => `${url}/9999`, 'LOCK_MISCONFIGURED', /option "db" is 9999/],
  [
    'a path that is no database',
    (url: string) => `${url}/main`,
    'LOCK_MISCONFIGURED',
    /must be the number of the database/,
  ],
  ['an unreadable password', () => `redis://x:${secret}%@127.0.0.1`, 'LOCK_MISCONFIGURED', /cannot be read/],
  ['an unreadable URL', () => `redis://x:${secret}@host:port`, 'LOCK_MISCONFIGURED', /cannot be read/],
  [
    'an unknown option',
    (url: string) => `${url}?prefx=app`,
    'LOCK_MISCONFIGURED',
    /unknown option "prefx". Did you mean "prefix"\?/,
  ],
  [
    'a misspelt option of Locks',
    (url: string) => `${url}?tll=5s`,
    'LOCK_MISCONFIGURED',
    /unknown option "tll". Did you mean "ttl" or "tls"\?/,
  ],
  ['a wrong option', (url: string) => `${url}?waiterTtl=soon`, 'LOCK_MISCONFIGURED', /option "waiterTtl".*"soon"/],
])('%s is told at once, without the password', async (_what, make, code, message) => {
  const error = await refusal(openLocks(make(inject('redisUrl'))));
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
  const { inspect } = await import('node:util');
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
});

test('a password that is no text is told as what it is', async () => {
  const error = await refusal(openLocks({ url: inject('redisUrl'), options: { password: 4711 } }));
  expect(error.message).toBe(
    '@locks/redis: option "password" must be a string, or a function that gives it, not a number.',
  );
});

test('a server that accepts and never answers is told within connectTimeout', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const started = performance.now();
  const error = await refusal(openLocks(`redis://127.0.0.1:${port}?connectTimeout=200ms`));
  expect(error.code).toBe('LOCK_UNAVAILABLE');
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('what Redis cannot offer is refused by requires', async () => {
  const error = await refusal(openLocks(inject('redisUrl'), { requires: { fencing: 'strict' } }));
  expect(error).toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining('fencing: strict') as string,
  });
});
