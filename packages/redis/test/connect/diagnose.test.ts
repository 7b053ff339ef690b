import { systemRuntime } from '@locks/core/adapter';
import { startRedis } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { diagnose } from '../../src/index.ts';

const server = await startRedis({ args: ['--appendonly', 'yes'] });
afterAll(() => server.stop());

test.each(['ioredis', 'iovalkey', 'redis'])('over %s a server is asked the same', async (library) => {
  const { url } = server;
  const { findings, server: identity } = await diagnose({ url, options: { library }, runtime: systemRuntime });
  const levels = findings.map(({ check, level }) => [check, level]);
  expect(Object.fromEntries(levels)).toEqual({
    eviction: 'ok',
    persistence: 'ok',
    replication: 'ok',
    processes: 'ok',
  });
  expect(identity).toMatch(/^[0-9a-f]{40}$/);
});

test('a server that says nothing is out of reach, and the connection is closed', async () => {
  const options = { connectTimeout: 300 };
  await server.pause();
  await expect(diagnose({ url: server.url, options, runtime: systemRuntime })).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
  });
  await server.resume();
});
