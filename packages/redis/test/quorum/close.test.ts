import { combine } from '@locks/composites';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';

test('close leaves nothing of an attempt at a member that stands still', async () => {
  const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const [, , last] = servers;
  const prefix = ownPrefix();
  const clients = servers.map(({ url }) => new Redis(url).on('error', () => {}));
  const provider = combine(
    clients.map((client) => createRedisProvider(client, { prefix })),
    { memberTimeout: 300 },
  );
  onTestFinished(async () => {
    await provider.close();
    for (const client of clients) client.disconnect();
  });
  const observer = connect({}, last.url);
  const isLeft = async (key: string): Promise<boolean> => (await observer.exists(`${prefix}${key}`)) === 1;
  // A server that does not know the script of a release is told it only after its answer.
  const before = claimOf({ key: 'before' });
  await eventually('the first vote', async () => {
    await provider.tryAcquire(before).catch(() => {});
    return await isLeft('before');
  });
  await provider.release(before);
  await eventually('the first release', async () => !(await isLeft('before')));
  await last.pause();
  onTestFinished(() => last.resume());
  const claim = claimOf({ key: 'late' });
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await provider.release(claim)).toBe(true);
  await provider.close();
  for (const client of clients) client.disconnect();
  await last.resume();
  // By the second answer it has done all that came while it stood still.
  await observer.ping();
  await observer.ping();
  expect(await isLeft('late')).toBe(false);
});
