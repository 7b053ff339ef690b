import { isLockError, openLocks } from '@locks/core';
import { otherSelfSigned, selfSigned, startRedis } from '@locks/test-servers';
import { describe, test } from 'vitest';
import { deployments } from '../support/deployed.ts';
import { eventually } from '../support/redis.ts';
import { startTlsFront } from '../support/tls.ts';
import { opened, stopAfterTest } from '../support/over.ts';

/** What an operator does with `ACL`. */
const changes = [
  ['a rotated password', ['SETUSER', 'locker', 'resetpass', '>new']],
  ['a user that is deleted', ['DELUSER', 'locker']],
  ['a user that is off', ['SETUSER', 'locker', 'off']],
] as const;

describe.each(deployments)('%s', (_deployment, start) => {
  test.each(changes)('%s: calls hear the words of the server', async (_change, command) => {
    const { everywhere, urlOf } = await start();
    const locks = await opened(openLocks(urlOf('locker:old')));
    await (await locks.acquire('before')).release();
    await everywhere('ACL', ...command);
    await everywhere('CLIENT', 'KILL', 'USER', 'locker').catch(() => {});
    // Until the next connection is refused, no reason is known.
    await eventually('the words of the server', async () => {
      const failure: unknown = await locks.tryAcquire('job').catch((error: unknown) => error);
      return isLockError(failure, 'LOCK_MISCONFIGURED') && failure.message.includes('WRONGPASS');
    });
  });
});

test('a certificate that is renewed by one that is not trusted: calls hear why', async () => {
  const server = await stopAfterTest(startRedis());
  const front = await startTlsFront(server);
  const locks = await opened(
    openLocks({ url: `rediss://127.0.0.1:${front.port}`, options: { tls: { ca: selfSigned.cert } } }),
  );
  await (await locks.acquire('before')).release();
  front.renew(otherSelfSigned);
  await eventually('the reason', async () => {
    const failure: unknown = await locks.tryAcquire('job').catch((error: unknown) => error);
    return isLockError(failure, 'LOCK_MISCONFIGURED') && failure.message.includes('self-signed certificate');
  });
});
