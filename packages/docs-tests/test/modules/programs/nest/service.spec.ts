import { createLocks, createMemoryProvider, isLockError, openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';

function decorated(_target: object, _name: string, _descriptor: PropertyDescriptor): void {}

class Service {
  readonly #locks: Locks;

  constructor(locks: Locks) {
    this.#locks = locks;
  }

  @decorated
  async work(key: string): Promise<string> {
    return await this.#locks.withLock(key, async (lease) => typeof lease.token);
  }
}

test('a service has locks in memory', async () => {
  const locks = createLocks(createMemoryProvider());
  expect(await new Service(locks).work('nest')).toBe('bigint');
  const lease = await locks.acquire('nest');
  await expect(locks.acquire('nest', { wait: 0 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  await lease.release();
  await locks.close();
});

test('a service has locks on Redis', async () => {
  const locks = await openLocks(process.env.STORE);
  expect(await new Service(locks).work('nest')).toBe('bigint');
  await locks.close();
  expect(typeof createRedisProvider).toBe('function');
});

test('a driver that is not installed is told', async () => {
  const error: unknown = await openLocks('mysql://user:password@127.0.0.1:1/db').catch((reason: unknown) => reason);
  expect(isLockError(error, 'LOCK_MISCONFIGURED')).toBe(true);
  expect(String(error)).toContain('needs mysql2, which is not installed');
});

test('an adapter that can be required is found by its path', async () => {
  const locks = await openLocks({ provider: './adapter.cjs' });
  expect(locks.name).toBe('theirs');
  await locks.close();
});
