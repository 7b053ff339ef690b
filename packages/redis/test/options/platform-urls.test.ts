import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { ownPrefix } from '../support/redis.ts';
import { opened } from '../support/over.ts';
import { misconfigured, unavailable } from '../../../core/test/support/lock-error.ts';

async function takesLocks(url: string): Promise<void> {
  const locks = await opened(openLocks(url));
  expect(await locks.withLock('job', () => 'done')).toBe('done');
}

describe('over a Unix socket', () => {
  let path: string;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'locks-socket-'));
    path = join(folder, 'redis.sock');
    const server = await startRedis({
      args: ['--unixsocket', path, '--user', 'app', 'on', '>hush', '~*', '&*', '+@all'],
    });
    return async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  test.each(libraries)('%s takes locks', async (library) => {
    await takesLocks(`redis+unix://app:hush@${path}?db=1&library=${library}`);
  });

  test('a wrong password and a wrong path are named', async () => {
    await expect(openLocks(`redis+unix://app:wrong@${path}`)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    await expect(openLocks(`valkey+unix://${path}-not?connectTimeout=200`)).rejects.toMatchObject(
      unavailable('ENOENT'),
    );
  });
});

describe.each(libraries)('with family in the query, %s', (library) => {
  test.each([0, 4])('takes locks over addresses of family %d', async (family) => {
    await takesLocks(`${inject('redisUrl')}?family=${family}&library=${library}&prefix=${ownPrefix()}\n`);
  });
});

test.each([
  ['redis://h?family=5', 'option "family" must be 4, 6 or 0'],
  ['redis+unix://run/redis.sock', 'redis+unix://user:password@/var/run/redis.sock'],
  ['rediss+unix:///run/redis.sock', 'no adapter is known'],
])('%s is refused', async (url, message) => {
  await expect(openLocks(url)).rejects.toMatchObject(misconfigured(message));
});
