import { createLocks, createMemoryProvider } from '@locks/core';

test('waits end and ttls pass under fake timers', async () => {
  jest.useFakeTimers();
  const locks = createLocks(createMemoryProvider(), { ttl: 10_000 });
  const lease = await locks.acquire('job', { renew: false });
  const waiting = locks.acquire('job', { wait: 60_000 });
  await jest.advanceTimersByTimeAsync(11_000);
  expect(lease.held).toBe(false);
  const next = await waiting;
  const refused = expect(locks.acquire('job', { wait: 25_000 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  await jest.advanceTimersByTimeAsync(26_000);
  await refused;
  expect(next.held).toBe(true);
  await locks.close();
  jest.useRealTimers();
});
