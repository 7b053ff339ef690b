import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { openLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { selfSigned, startRedis, unusedPort } from '@locks/test-servers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { connect, eventually } from '../support/redis.ts';
import { behindTls } from '../support/tls.ts';
import { opened, stopAfterTest } from '../support/over.ts';
import { lockError, misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

const secret = 'hunter2';

describe.each(libraries)('a URL that %s opens', (library) => {
  test('user, password, database, name and TLS are those of the configuration', async () => {
    const server = await stopAfterTest(startRedis());
    const admin = connect({}, server.url);
    await admin.acl('SETUSER', 'locker', 'on', '>p@ss:/word', '~*', '&*', '+@all');
    const port = await behindTls(server);
    const tls = { ca: selfSigned.cert, servername: 'localhost' };
    const options = { library, username: 'locker', password: 'p@ss:/word', db: 2, tls, connectionName: 'locks' };
    const locks = await openLocks({ url: `rediss://127.0.0.1:${port}`, options });
    const lease = await locks.acquire('job');
    await admin.select(2);
    expect(await admin.get('locks:job')).toBe(lease.owner);
    expect(await admin.client('LIST')).toMatch(/name=locks .*user=locker/);
    await locks.close();
    const url = `rediss://locker:p%40ss%3A%2Fword@127.0.0.1:${port}/2?library=${library}`;
    const viaUrl = await openLocks({ url, options: { tls } });
    await (await viaUrl.acquire('job')).release();
    await viaUrl.close();
  });

  test('a server that is down is told by the error of its connection, and found again when it is back', async () => {
    const server = await stopAfterTest(startRedis());
    const locks = await opened(openLocks({ url: server.url, options: { library, timeout: '1s' } }));
    await server.restart({ keepData: false });
    await eventually('a lock', async () => (await locks.tryAcquire('job').catch(() => null))?.held === true);
    await server.stop();
    await eventually('the refusal', async () => {
      const error = (await locks.inspect('job').catch((reason: unknown) => reason)) as LockError;
      expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      return error.message.includes(`connect ECONNREFUSED 127.0.0.1:${server.port}`);
    });
  });

  test('what fails is told at once, by what is wrong, and without the password', async () => {
    const url = inject('redisUrl');
    const down = await unusedPort();
    const wrong: readonly [url: string, code: string, message: RegExp][] = [
      [url.replace('://', `://stranger:${secret}@`), 'LOCK_MISCONFIGURED', /Check the user name and the password/],
      [`redis://x:${secret}@127.0.0.1:${down}`, 'LOCK_UNAVAILABLE', /ECONNREFUSED/],
      [`${url}/9999`, 'LOCK_MISCONFIGURED', /option "db" is 9999/],
    ];
    for (const [address, code, message] of wrong) {
      const error = await refusal(openLocks({ url: address, options: { library } }));
      expect(error).toMatchObject(lockError(code, message));
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
    }
  });

  test('TLS that the two sides do not agree on is a misconfiguration', async () => {
    const server = await stopAfterTest(startRedis());
    const secure = await behindTls(server);
    const strict = await behindTls(server, { requestCert: true, rejectUnauthorized: true, ca: selfSigned.cert });
    const web = createServer((_request, response) => void response.end('Not Redis'));
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
      [`rediss://127.0.0.1:${secure}`, { tls: false }, /option "tls" is false, and rediss: is TLS/],
      [`rediss://127.0.0.1:${webPort}`, {}, /wrong version number/],
      [`redis://127.0.0.1:${webPort}`, {}, /is not Redis; check host and port/],
      [`rediss://127.0.0.1:${strict}`, { tls: { rejectUnauthorized: false } }, /certificate required/],
    ];
    for (const [url, tls, message] of wrong) {
      const error = await refusal(openLocks({ url, options: { library, connectTimeout: '1s', ...tls } }));
      expect(error, url).toMatchObject(misconfigured(message));
      expect(error.message.length).toBeLessThan(300);
    }
    const options = { library, connectTimeout: '5s', tls: { rejectUnauthorized: false } };
    await (await openLocks({ url: `redis://127.0.0.1:${secure}`, options })).close();
  }, 60_000);
});

test.each([
  ['Sentinels', 'redis+sentinel://127.0.0.1:1/main', 'createSentinel'],
  ['a Cluster', 'redis+cluster://127.0.0.1:1', 'createCluster'],
])('node-redis opens no URL of %s, and the refusal says what to give', async (servers, url, create) => {
  const error = await refusal(openLocks(`${url}?library=redis`));
  const message = expect.stringMatching(new RegExp(`with ${servers} needs ioredis or iovalkey.*${create}`)) as string;
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED', message });
  expect(error.message.length).toBeLessThan(300);
});

test('another library is refused', async () => {
  await expect(openLocks('redis://127.0.0.1:1?library=tedis')).rejects.toMatchObject(
    misconfigured('option "library" must be "ioredis" or "iovalkey" or "redis", not "tedis"'),
  );
});
