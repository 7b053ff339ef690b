import { createLocks, createMemoryProvider } from '@locks/core';
import type { Lease, LockErrorCode } from '@locks/core';
import { expect, test } from 'vitest';
import { createEtcdGuard } from '../../src/index.ts';
import type { GuardedOperation } from '../../src/index.ts';
import { open, ownPrefix } from '../support/etcd.ts';
import { base64, gateway, valueOf } from '../support/values.ts';

async function party() {
  const provider = await open();
  return { locks: createLocks(provider), guard: createEtcdGuard(provider), target: `target-${ownPrefix()}` };
}

function rejected(code: LockErrorCode): object {
  return expect.objectContaining({ name: 'LockError', code }) as object;
}

test('a write takes effect while the lease holds, and not after its end', async () => {
  const { locks, guard, target } = await party();
  const lease = await locks.acquire('a/b');
  await guard.write([{ type: 'put', key: target, value: 'first' }], lease);
  expect(await valueOf(target)).toBe('first');
  await guard.write([{ type: 'delete', key: target }], lease);
  expect(await valueOf(target)).toBeUndefined();
  await lease.release();
  await expect(guard.write([{ type: 'put', key: target, value: 'late' }], lease)).rejects.toEqual(
    rejected('LOCK_STALE'),
  );
  expect(await valueOf(target)).toBeUndefined();
});

test('a transaction of another client compares the same', async () => {
  const { locks, guard, target } = await party();
  const lease = await locks.acquire('job');
  const { compare } = guard.check(lease);
  const own = {
    compare: [compare],
    success: [{ request_put: { key: base64(target), value: base64('theirs') } }],
  };
  expect(await gateway('kv/txn', own)).toMatchObject({ succeeded: true });
  expect(await valueOf(target)).toBe('theirs');
  await lease.release();
  expect(await gateway('kv/txn', own)).not.toHaveProperty('succeeded');
});

test('a fence lets later tokens pass, of any provider, and no earlier one', async () => {
  const { guard, target } = await party();
  const write = (value: string): GuardedOperation[] => [{ type: 'put', key: target, value }];
  const memory = createLocks(createMemoryProvider());
  const first = await memory.acquire('key');
  await first.release();
  const second = await memory.acquire('key');
  await guard.writeFenced(target, write('second'), second);
  await expect(guard.writeFenced(target, write('first'), first)).rejects.toEqual(rejected('LOCK_STALE'));
  await guard.writeFenced(target, write('again'), second);
  expect(await valueOf(target)).toBe('again');
});

test('of fenced writes at once, the latest token has the last word', async () => {
  const { guard, target } = await party();
  const lease = (token: number): Pick<Lease, 'token' | 'mode'> => ({ token: BigInt(token), mode: 'exclusive' });
  await Promise.allSettled(
    Array.from({ length: 20 }, (_, token) =>
      guard.writeFenced(target, [{ type: 'put', key: target, value: `${token}` }], lease(token)),
    ),
  );
  expect(await valueOf(target)).toBe('19');
});

test('what a guard cannot take is refused at once', async () => {
  const { locks, guard, target } = await party();
  expect(() => createEtcdGuard(createMemoryProvider())).toThrow(
    'createEtcdGuard: it needs a provider of createEtcdProvider.',
  );
  const shared = await locks.acquire('shared', { mode: 'shared' });
  await expect(guard.write([], shared)).rejects.toEqual(rejected('LOCK_INVALID'));
  expect(() => guard.check(shared)).toThrow(/exclusive lease/);
  const lease = await locks.acquire('key');
  const refused = async (operation: object): Promise<string> => {
    const call = guard.write([operation as GuardedOperation], lease);
    return await call.then(
      () => 'written',
      (error: unknown) => (error as Error).message,
    );
  };
  expect(await refused({ type: 'put', key: '', value: '' })).toMatch(/the key of operation 0 .* must be not empty/);
  expect(await refused({ type: 'put', key: target })).toMatch(/the value of operation 0 .* must be a string/);
  expect(await refused({ type: 'move', key: target })).toMatch(/the type of operation 0 .* "put" or "delete"/);
  expect(await refused({ type: 'put', key: target, value: '', lease: 'x' })).toMatch(/the lease of operation 0/);
  const notAList = guard.write({} as GuardedOperation[], lease);
  await expect(notAList).rejects.toThrow(/the operations of a guarded write must be an array/);
});
