import { createLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { eventually, startMariadb, startPostgres } from '@locks/test-servers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fromConfig } from '../src/index.ts';

const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

const servers = [
  ['Postgres', startPostgres],
  ['MariaDB', startMariadb],
] as const;

test.each(servers)('close settles in time, and ends every connection, though %s is frozen', async (_name, start) => {
  const server = await start();
  onTestFinished(() => server.stop());
  const options = { migrate: true, timeout: 1_000 };
  const provider = await fromConfig({ url: server.url, options, runtime: systemRuntime });
  const claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode: 'exclusive' } as const;
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await provider.tryAcquire({ ...claim, owner: 'a/2' }, () => {})).toMatchObject({ granted: false });
  expect(sockets()).toBeGreaterThan(0);
  await server.pause();
  const asked = provider.inspect('job').then(
    () => 'answered',
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );
  const started = performance.now();
  await provider.close();
  expect(performance.now() - started).toBeLessThan(2_500);
  expect(await asked).toMatch(/^LOCK_(UNAVAILABLE|CLOSED)$/);
  await eventually('the end of its connections', () => sockets() === 0);
});

test.each(servers)(
  'those whose places lapsed while %s was frozen are in the queue again as soon as it goes on, not one after the other',
  async (_name, start) => {
    const server = await start();
    onTestFinished(() => server.stop());
    const options = { migrate: true, waiterTtl: 3_000, timeout: 20_000 };
    const provider = await fromConfig({ url: server.url, options, runtime: systemRuntime });
    const locks = createLocks(provider);
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const served = Array.from({ length: 60 }, () => locks.withLock('job', () => {}));
    const allInQueue = async (): Promise<boolean> => (await locks.inspect('job')).waiters === served.length;
    await eventually('all are in the queue', allInQueue);
    await server.pause();
    await sleep(3_500);
    await server.resume();
    // One of them asks each second and shows the others, of which the server knows nothing any
    // more.
    await eventually('all are in the queue again', allInQueue);
    await lease.release();
    await Promise.all(served);
  },
);
