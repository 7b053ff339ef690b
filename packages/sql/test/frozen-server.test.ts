import { systemRuntime } from '@locks/core/adapter';
import { startMariadb, startPostgres } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { fromConfig } from '../src/index.ts';
import { eventually } from './support/waiting.ts';

const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

test.each([
  ['Postgres', startPostgres],
  ['MariaDB', startMariadb],
])('close settles in time, and ends every connection, though %s is frozen', async (_name, start) => {
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
