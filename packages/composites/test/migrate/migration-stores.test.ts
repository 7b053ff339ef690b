import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { LockProvider, Locks, MemoryStore } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import { connectTo } from '../support/changing-store.ts';

interface Server {
  store: MemoryStore;
}

const server = (): Server => ({ store: createMemoryStore() });

/** A connection to `server`, which may lose its data. */
function connect(to: Server): LockProvider {
  return connectTo(() => createMemoryProvider({ store: to.store }));
}

function open(from: Server, to: Server, phase: Phase | (() => Phase), presenceTtl = 1_000): Locks {
  const options = { name: 'm', phase, presenceTtl, memberTimeout: 200, timeout: 600 };
  const locks = createLocks(migrate({ ...options, from: connect(from), to: connect(to) }), {
    closeProvider: true,
    ttl: 600,
    closeTimeout: 300,
  });
  onTestFinished(() => locks.close());
  return locks;
}

const reason = async (locks: Locks): Promise<string> =>
  await locks.tryAcquire('job', { wait: 100 }).then(
    () => 'granted',
    (error: unknown) => (error as Error).message,
  );

test.each(['from', 'both', 'to'] as const)('one store under two names is refused in phase %s', async (phase) => {
  const only = server();
  const locks = open(only, only, phase);
  expect(await reason(locks)).toMatch(/options "from" and "to" name the same store/);
});

test.each<Phase>(['from', 'both', 'to'])('swapped ends are refused, where others are in phase %s', async (phase) => {
  const [a, b] = [server(), server()];
  const first = open(a, b, phase);
  await first.withLock('first', () => {});
  for (const swapped of ['from', 'both', 'to'] as const) {
    const second = open(b, a, swapped);
    expect(await reason(second), swapped).toMatch(
      /processes of migration "m" between stores \S+, not \S+ Check options/,
    );
    await second.close();
  }
  expect(await reason(first)).toBe('granted');
});

test.each<Phase>(['both', 'to'])('another store as "to" is refused, where others are in phase %s', async (phase) => {
  const [a, b, c] = [server(), server(), server()];
  const first = open(a, b, phase);
  await first.withLock('first', () => {});
  const second = open(a, c, 'to');
  for (let tries = 0; tries < 3; tries += 1) expect(await reason(second)).toMatch(/processes of migration "m" between/);
  expect([...c.store.keys('')]).toEqual([]);
});

test('a store that lost its data is known again, as processes that live tell it who it was', async () => {
  const [a, b] = [server(), server()];
  const first = open(a, b, 'to');
  await first.withLock('first', () => {});
  const id = await connect(b).register?.('store-id');
  b.store = createMemoryStore();
  const second = open(a, b, 'to');
  const work = async (): Promise<void> => {
    await first.acquire('other', { wait: 2_000 }).then((lease) => lease.release());
    expect(await reason(second)).toBe('granted');
  };
  await vi.waitFor(work, 5_000);
  expect(await connect(b).register?.('store-id')).toBe(id);
});

test('another pair of stores may have the name once all processes of before are gone', async () => {
  const [a, b, c] = [server(), server(), server()];
  const first = open(a, b, 'both');
  await first.withLock('first', () => {});
  await first.close();
  await vi.waitFor(async () => expect(await reason(open(a, c, 'both'))).toBe('granted'), 5_000);
});
