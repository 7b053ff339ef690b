import { writeFile } from 'node:fs/promises';
import { listen } from '../../../core/test/support/listen.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import type { LockProvider, MemoryStore } from '../../../core/src/index.ts';
import { registerAdapter } from '../../../core/src/adapter/index.ts';
import { standIn } from '../../../core/test/support/stand-in.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { open } from '../../../core/test/support/open.ts';

/** An adapter over a memory store that several configurations share. */
function adapterOf(store: MemoryStore): { fromConfig(): LockProvider } {
  return { fromConfig: () => createMemoryProvider({ store }) };
}

/** An adapter whose server is down. */
const dead = {
  fromConfig(): never {
    throw new LockError('LOCK_UNAVAILABLE', 'connection refused');
  },
};

function migration(more: object) {
  const options = { name: 'm', from: 'memory:', to: 'memory:', phase: 'both', presenceTtl: '1s', settle: 0, ...more };
  return { provider: 'migrate', ttl: '5s', options };
}

describe('openLocks with provider "migrate"', () => {
  it('opens both stores, by URL and by configuration', async () => {
    const locks = await open(migration({ to: { provider: 'memory', options: { waiterTtl: '3s' } } }));
    expect(locks).toMatchObject({ name: 'migrate', traits: { fair: true, shared: true } });
    await locks.withLock('key', async (lease) => {
      expect((await locks.inspect('key')).members).toHaveLength(2);
      expect(lease.held).toBe(true);
    });
  });

  it('reads the phase from a file, again and again', async () => {
    await standIn({ 'phase.txt': 'from\n' });
    const [from, to] = [createMemoryStore(), createMemoryStore()];
    const stores = { from: { provider: adapterOf(from) }, to: { provider: adapterOf(to) } };
    const heard = listen('locks:migration');
    const locks = await open(migration({ ...stores, phase: 'file:phase.txt' }));
    const lease = await locks.acquire('key');
    expect([[...from.keys('key')], [...to.keys('key')]]).toEqual([['key'], []]);
    await lease.release();
    for (const next of ['both', 'to']) {
      await writeFile(`${process.cwd()}/phase.txt`, next);
      await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: next }), 5_000);
    }
    await writeFile(`${process.cwd()}/phase.txt`, 'back');
    await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'misread', effective: 'to' }), 5_000);
    expect(heard.at(-1)?.error).toMatchObject({ message: expect.stringContaining('"back"') as unknown });
    await locks.acquire('key');
    expect([[...from.keys('key')], [...to.keys('key')]]).toEqual([[], ['key']]);
  });

  it('reads the phase from an environment variable', async () => {
    vi.stubEnv('LOCKS_PHASE', 'to');
    onTestFinished(() => void vi.unstubAllEnvs());
    const locks = await open(migration({ phase: 'env:LOCKS_PHASE' }));
    await locks.acquire('key');
    expect((await locks.inspect('key')).members?.filter(({ holders }) => holders)).toHaveLength(1);
  });

  it.each([
    [{ phase: 'later' }, /option "phase" must be "from", "both", "to", "env:NAME" or "file:path".*; it is "later"/],
    [{ phase: 'env:NOT_SET_ANYWHERE' }, /env:NOT_SET_ANYWHERE has undefined/],
    [{ phase: 'file:no-such-file' }, /no-such-file: ENOENT/],
    [{ phase: undefined }, /it needs option "phase"/],
    [{ name: undefined }, /it needs option "name"/],
    [{ name: 'a b' }, /option "name" must be 1 to 100 printable/],
    [{ from: undefined }, /it needs option "from"/],
    [{ from: 'redis://me:hunter2@h?ttl=5' }, /store "from": .*option "ttl" in its URL/],
    [{ from: 'redis://h', to: 'redis://h' }, /"from" and "to" name the same store/],
    [{ settle: 'soon' }, /option "settle" must be/],
    [{ presenceTtl: 5 }, /option "presenceTtl" must be/],
    [{ steps: 3 }, /unknown option "steps"/],
  ])('refuses %j', async (more, message) => {
    await expect(openLocks(migration(more))).rejects.toMatchObject(misconfigured(message));
  });

  it('refuses stores without shared mode', async () => {
    const plain = createMemoryProvider();
    const exclusive = {
      fromConfig: () =>
        Object.assign(Object.create(plain) as LockProvider, { traits: { ...plain.traits, shared: false } }),
    };
    await expect(openLocks(migration({ to: { provider: exclusive } }))).rejects.toThrow(
      /store "to" .* has no shared mode/,
    );
  });

  it('opens while one store is down, stays in both, and says what helps', async () => {
    const locks = await open(migration({ from: { provider: dead }, phase: 'to', memberTimeout: 50, timeout: 200 }));
    const error: unknown = await locks.tryAcquire('key').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const cause = (error as LockError).cause as LockError;
    expect(cause.message).toMatch(/connection refused.*set the phase to "to!"/s);
  });

  it.each([
    ['a store of weaker tokens', { expiry: 'session', fencing: 'strict' }, {}],
    ['a store of sessions', {}, { expiry: 'session', fencing: 'strict' }],
  ] as const)('takes %s that comes late, and promises no more than with it', async (_, first, second) => {
    const store = createMemoryStore();
    let down = true;
    const adapter = (traits: object, isLate: boolean) => ({
      fromConfig(): LockProvider {
        if (isLate && down) return dead.fromConfig();
        const provider = createMemoryProvider(isLate ? { store } : {});
        return Object.assign(provider, { traits: { ...provider.traits, ...traits } });
      },
    });
    const stores = { from: { provider: adapter(first, false) }, to: { provider: adapter(second, true) } };
    const locks = await open(migration({ ...stores, memberTimeout: 50, timeout: 200 }));
    expect(locks.traits).toMatchObject({ expiry: 'session', fencing: 'clock-bounded', shared: true });
    await expect(locks.tryAcquire('key')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    down = false;
    await vi.waitFor(async () => expect(await locks.tryAcquire('key')).not.toBeNull(), 10_000);
  });

  it('does not refuse cooldowns while a store is down whose leases have a ttl', async () => {
    registerAdapter('etcd', dead);
    const locks = await open(migration({ to: 'etcd://h', phase: 'from', memberTimeout: 50, timeout: 200 }));
    expect(locks.traits.expiry).toBe('ttl');
    await expect(locks.tryAcquire('key', { atLeast: 20 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it.each([
    ['the label of the locks', { label: 'orders-1' }, {}, 'orders-1'],
    ['its own label, if it has one', { label: 'orders-1' }, { label: 'm-1' }, 'm-1'],
  ])('announces itself by %s', async (_, ofLocks, own, expected) => {
    const store = createMemoryStore();
    const locks = await open({
      ...migration({ from: { provider: adapterOf(store) }, phase: 'from', ...own }),
      ...ofLocks,
    });
    await locks.acquire('key');
    const { holders } = await createMemoryProvider({ store }).inspect('migration/alone');
    expect(holders.map(({ owner }) => owner.split('~')[0])).toContain(expected);
  });

  it('serves without a store that is gone for good', async () => {
    const locks = await open(migration({ from: { provider: dead }, phase: 'to!', settle: 0 }));
    const lease = await locks.acquire('key');
    expect(lease.held).toBe(true);
  });

  it('does not open while both stores are down', async () => {
    const stores = { from: { provider: dead }, to: { provider: dead } };
    await expect(openLocks(migration(stores))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
});
