import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider } from '../../../src/index.ts';
import type { Holder } from '../../../src/index.ts';
import { createDeferred } from '../../../src/time/deferred.ts';
import { busyAtOnce, freeAtOnce } from '../../support/scripted-provider.ts';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';

const ttl = 1_000;
const wait = 200;
/** The first reading of a virtual clock. */
const start = 1_000;

/** A setting where each key is busy; `looks` has the keys that were inspected. */
function createBusySetting(inspecting: (key: string) => Promise<readonly unknown[]>) {
  const setting = createSetting({ random: 0 });
  const { provider } = setting;
  const looks: string[] = [];
  provider.answers.tryAcquire = busyAtOnce;
  provider.answers.release = freeAtOnce;
  provider.inspecting = async (key) => {
    looks.push(key);
    return { key, holders: (await inspecting(key)) as readonly Holder[], waiters: 1 };
  };
  return { ...setting, looks };
}

const held = (...owners: readonly string[]) => owners.map((owner) => ({ owner, mode: 'shared' }));

describe('LOCK_TIMEOUT', () => {
  it.each([
    ['one holder', ['api-1:22/x.0'], 'it is held by api-1:22'],
    ['an owner of a composite', ['api-1:22/x.0~2'], 'it is held by api-1:22'],
    ['two leases of one process', ['api-1:22/x.0', 'api-1:22/x.1'], 'it is held by api-1:22'],
    ['three', ['a/1', 'b/1', 'c/1'], 'it is held by a, b, c'],
    ['many', ['a/1', 'b/1', 'c/1', 'd/1', 'e/1'], 'it is held by a, b, c and 2 more'],
    ['an owner of another library', ['4f1c0b'], 'it is held by 4f1c0b'],
    ['an owner of any text', ['line\nfeed'], 'it is held by "line\\nfeed"'],
    ['a long one', ['x'.repeat(500)], `it is held by "${'x'.repeat(60)}…"`],
    ['no holder, as it has just gone', [], 'others hold it or are queued for it'],
  ])('names %s', async (_what, owners, text) => {
    const { runtime, locks } = createBusySetting(async () => held(...owners));
    const waiting = watch(locks.acquire('seat', { ttl, wait }), runtime);
    await runtime.advance(wait);
    expect(waiting).toMatchObject({ state: 'rejected', at: start + wait });
    expect(waiting.error).toMatchObject({
      code: 'LOCK_TIMEOUT',
      key: 'seat',
      wait,
      holders: [...new Set(owners.map((owner) => owner.split('/')[0]))],
      message: `"seat" was not free within 200 ms: ${text}. Raise option "wait", or use tryAcquire.`,
    });
  });

  it('asks once per key for all that time out at about the same time', async () => {
    const { runtime, locks, looks } = createBusySetting(async () => held('a/1'));
    const waits = Array.from({ length: 300 }, (_, index) =>
      watch(locks.acquire('seat', { ttl, wait: wait + (index % 90) })),
    );
    await runtime.advance(wait + 90);
    expect(waits.every(({ error }) => (error as Error).message.includes('held by a.'))).toBe(true);
    expect(looks).toEqual(['seat']);
  });

  it('asks before the releases of those that time out, so that these do not delay it', async () => {
    const { runtime, locks, provider } = createBusySetting(async () => {
      releasesBefore = provider.releases.length;
      return held('a/1');
    });
    let releasesBefore = -1;
    const waits = Array.from({ length: 300 }, () => watch(locks.acquire('seat', { ttl, wait })));
    await runtime.advance(wait);
    expect(waits.every(({ state }) => state === 'rejected')).toBe(true);
    expect(releasesBefore).toBe(0);
  });

  it('asks about ten keys within 100 ms, however many time out', async () => {
    const { runtime, locks, looks } = createBusySetting(async () => held('a/1'));
    const waits = Array.from({ length: 300 }, (_, index) => watch(locks.acquire(`seat/${index}`, { ttl, wait })));
    await runtime.advance(wait);
    expect(waits.filter(({ error }) => (error as Error).message.includes('held by a.'))).toHaveLength(10);
    expect(waits.every(({ state }) => state === 'rejected')).toBe(true);
    expect(looks).toHaveLength(10);
    await runtime.advance(100);
    watch(locks.acquire('later', { ttl, wait }));
    await runtime.advance(wait);
    expect(looks.slice(10)).toEqual(['later']);
  });

  it('asks again once the answer is 100 ms old', async () => {
    let holder = 'a/1';
    const { runtime, locks } = createBusySetting(async () => held(holder));
    watch(locks.acquire('seat', { ttl, wait }));
    const later = watch(locks.acquire('seat', { ttl, wait: wait + 100 }));
    await runtime.advance(wait);
    holder = 'b/1';
    await runtime.advance(100);
    expect(later.error).toMatchObject({ message: expect.stringContaining('it is held by b.') });
  });

  it.each([
    ['acquire', false],
    ['tryAcquire', false],
    ['acquire', true],
    ['tryAcquire', true],
  ] as const)(
    'is not what %s tells of a store that has gone since: it is silent, or rejects (%s)',
    async (call, rejects) => {
      const cause = new Error('connection lost');
      const setting = createBusySetting(() => (rejects ? Promise.reject(cause) : new Promise(() => {})));
      const { runtime, locks, provider } = setting;
      const waiting = watch<unknown>(locks[call]('seat', { ttl, wait: 2_000 }), runtime);
      await runtime.advance(100);
      provider.answers.tryAcquire = () => {};
      await runtime.advance(1_900 + 300);
      expect(waiting).toMatchObject({ state: 'rejected', at: start + 2_000 + (rejects ? 0 : 300) });
      expect(waiting.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', ...(rejects ? { cause } : {}) });
    },
  );

  it('is what all hear whose keys were not looked at, unless the store has gone', async () => {
    const { runtime, locks, provider } = createBusySetting(() => Promise.reject(new Error('connection lost')));
    const waits = Array.from({ length: 30 }, (_, index) => watch(locks.acquire(`seat/${index}`, { ttl, wait: 2_000 })));
    await runtime.advance(100);
    provider.answers.tryAcquire = () => {};
    await runtime.advance(2_000);
    for (const { error } of waits) expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it('waits 300 ms for a silent backend, and names no holder', async () => {
    const { promise } = createDeferred<readonly unknown[]>();
    const setting = createBusySetting(() => promise);
    const { runtime, locks, provider } = setting;
    const waiting = watch(locks.acquire('seat', { ttl, wait }), runtime);
    await runtime.advance(wait);
    expect(provider.releases).toHaveLength(1);
    await runtime.advance(300);
    expect(waiting).toMatchObject({ state: 'rejected', at: start + wait + 300 });
    expect(waiting.error).toMatchObject({ code: 'LOCK_TIMEOUT', message: expect.stringContaining('others hold it') });
    await expectNothingLeft(setting);
  });

  it.each<[string, () => Promise<readonly unknown[]>]>([
    ['rejects', () => Promise.reject(new Error('connection lost'))],
    ['answers with nonsense', async () => 5 as never],
    ['answers with holders that are none', async () => [{ owner: 5 }]],
  ])('is told at once when the look %s', async (_what, inspecting) => {
    const setting = createBusySetting(inspecting);
    const { runtime, locks } = setting;
    const waiting = watch(locks.acquire('seat', { ttl, wait }), runtime);
    await runtime.advance(wait);
    expect(waiting).toMatchObject({ state: 'rejected', at: start + wait });
    expect(waiting.error).toMatchObject({ code: 'LOCK_TIMEOUT', message: expect.stringContaining('others hold it') });
    await expectNothingLeft(setting);
  });

  it('costs no look where the call did not wait, or answers null', async () => {
    const { runtime, locks, looks } = createBusySetting(async () => held('a/1'));
    await expect(locks.acquire('seat', { ttl, wait: 0 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    const tried = watch(locks.tryAcquire('seat', { ttl, wait }));
    await runtime.advance(wait);
    expect(tried.value).toBeNull();
    expect(looks).toEqual([]);
  });
});

it('the stack of a LOCK_TIMEOUT has the caller', async () => {
  const locks = createLocks(createMemoryProvider(), { closeProvider: true });
  await locks.acquire('key');
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    acquire: () => locks.acquire('key', { wait: 5 }),
    'acquire, one attempt': () => locks.acquire('key', { wait: 0 }),
    withLock: () => locks.withLock('key', { wait: 5 }, () => 1),
    mutex: () => locks.mutex('key').acquire({ wait: 5 }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const caller = async function theCaller(): Promise<unknown> {
      return await call();
    };
    const stack = await caller().catch((error: unknown) => (error as Error).stack);
    expect(stack, name).toMatch(/at (async )?theCaller /);
  }
  await locks.close();
});
