import { createLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { collect, startEtcd } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { diagnose } from '../../src/index.ts';
import { open } from '../support/etcd.ts';
import { base64, gateway } from '../support/values.ts';

test('on a full store providers open: they list, inspect and break, and claims are told why they get nothing', async () => {
  const server = await startEtcd({ args: ['--quota-backend-bytes', `${4 * 1024 * 1024}`] });
  const prefix = 'full';
  const holder = createLocks(await open({ url: server.url, prefix }));
  const lease = await holder.acquire('job', { ttl: 60_000 });
  const value = base64('x'.repeat(500_000));
  const filled = (async () => {
    for (let index = 0; index < 100; index++)
      await gateway('kv/put', { key: base64(`filler ${index}`), value }, server);
  })();
  await expect(filled).rejects.toThrow('space exceeded');

  const provider = await open({ url: server.url, prefix });
  expect(await collect(provider.list?.('') ?? [])).toEqual(['job']);
  const locks = createLocks(provider);
  await expect(locks.tryAcquire('other')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { message: expect.stringContaining('space exceeded') },
  });
  const [holding] = (await locks.inspect('job')).holders;
  expect(holding).toMatchObject({ token: lease.token });
  await lease.renew();
  const { findings } = await diagnose({ url: server.url, options: {}, runtime: systemRuntime });
  expect(findings).toMatchObject([
    { check: 'alarms', level: 'problem' },
    { check: 'processes', level: 'unknown', what: expect.stringContaining('does not report which processes') },
  ]);
  expect(holding && (await locks.forceRelease({ ...holding, key: 'job' }))).toBe(true);
  expect((await locks.inspect('job')).holders).toEqual([]);
  await Promise.all([locks.close(), holder.close()]);
  await server.stop();
}, 60_000);
