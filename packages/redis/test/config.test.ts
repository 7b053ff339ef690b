import { readFileSync } from 'node:fs';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { isLockError, openLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connect, eventually, ownPrefix } from './support/redis.ts';

const fixture = (name: string): string => new URL(`fixtures/${name}`, import.meta.url).pathname;

async function refusal(open: Promise<{ close(): Promise<void> }>): Promise<LockError> {
  try {
    await (await open).close();
  } catch (error) {
    if (isLockError(error)) return error;
    throw error;
  }
  throw new Error('It opened.');
}

test('a URL is all it takes; its query carries the options of both halves', async () => {
  const prefix = ownPrefix();
  const locks = await openLocks(
    `${inject('redisUrl')}/3?prefix=${prefix}&ttl=10s&label=worker-7&fair=false&connectionName=locks`,
  );
  onTestFinished(() => locks.close());
  expect(locks.traits.fair).toBe(false);
  const lease = await locks.acquire('job');
  expect(lease.remaining).toBeLessThan(10_000);
  expect(lease.owner).toMatch(/^worker-7\//);
  const client = connect({ db: 3 });
  expect(await client.get(`${prefix}job`)).toBe(lease.owner);
  expect(await client.client('LIST')).toContain('name=locks');
  await lease.release();
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

/** Terminates TLS in front of the server, as a proxy or a managed Redis does. */
async function behindTls(server: ServerHandle): Promise<number> {
  const front = createTlsServer(
    { cert: readFileSync(fixture('tls-cert.pem')), key: readFileSync(fixture('tls-key.pem')) },
    (socket) => {
      const back = connectTcp(server.port, server.host);
      socket.pipe(back).pipe(socket);
      socket.on('error', () => back.destroy());
      back.on('error', () => socket.destroy());
    },
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  return (front.address() as AddressInfo).port;
}

test('user, password, database and TLS come from the configuration', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const admin = connect({}, server.url);
  await admin.acl('SETUSER', 'locker', 'on', '>p@ss:/word', '~*', '&*', '+@all');
  const port = await behindTls(server);
  const tls = { ca: readFileSync(fixture('tls-cert.pem')), servername: 'localhost' };
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
  const untrusted = await refusal(openLocks(`rediss://127.0.0.1:${port}`));
  expect(untrusted).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringContaining('certificate') as string,
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
    /number of the database, not "main"/,
  ],
  ['an unreadable URL', () => `redis://x:${secret}@host:port`, 'LOCK_MISCONFIGURED', /cannot be read/],
  [
    'an unknown option',
    (url: string) => `${url}?fiar=true`,
    'LOCK_MISCONFIGURED',
    /unknown option "fiar". Did you mean "fair"\?/,
  ],
  ['a wrong option', (url: string) => `${url}?waiterTtl=soon`, 'LOCK_MISCONFIGURED', /option "waiterTtl".*"soon"/],
])('%s is told at once, without the password', async (_what, make, code, message) => {
  const error = await refusal(openLocks(make(inject('redisUrl'))));
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
  const { inspect } = await import('node:util');
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
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
