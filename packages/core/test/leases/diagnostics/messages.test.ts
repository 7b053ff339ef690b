import { describe, expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { LockErrorCode } from '../../../src/index.ts';
import { createFreeSetting, createSetting, watch } from '../../support/setting.ts';
import type { Setting, SettingOptions } from '../../support/setting.ts';
import { busyAtOnce, freeAtOnce, rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';
import { claimOf, createMemorySetting } from '../../support/memory-setting.ts';

const lost = new Error('connection lost');
/** The release of what may be left is answered. */
const free = { release: freeAtOnce };

/** What a call inside of another rejects with. */
const reasonOf = (call: Promise<unknown>): Promise<unknown> => call.catch((reason: unknown) => reason);

/** What it is about, the setting, what rejects there, and with what. */
type Row = readonly [string, SettingOptions, (setting: Setting) => Promise<unknown>, LockErrorCode, string, object];

const ofSeat: readonly Row[] = [
  [
    'a backend that rejects',
    { answers: { ...free, tryAcquire: rejectAtOnce } },
    ({ locks }) => locks.tryAcquire('seat'),
    'LOCK_UNAVAILABLE',
    'scripted could not answer the request for "seat", so its state is unknown; see the cause.',
    { cause: lost },
  ],
  [
    'one waiter too many',
    { maxWaiters: 1, answers: { tryAcquire: busyAtOnce } },
    async ({ locks }) => {
      watch(locks.acquire('seat'));
      await settle();
      await locks.acquire('seat');
    },
    'LOCK_OVERLOADED',
    '1 claim waits already, the limit of option "maxWaiters". Try again later, or raise it.',
    {},
  ],
  [
    'a renewal after the release',
    { answers: free },
    async ({ take }) => {
      const lease = await take('seat');
      await lease.release();
      await lease.renew();
    },
    'LOCK_INVALID',
    'The lease on "seat" was released and cannot be renewed; acquire the key again.',
    {},
  ],
  [
    'a release without an answer',
    { answers: { release: rejectAtOnce } },
    async ({ take }) => (await take('seat')).release(),
    'LOCK_UNAVAILABLE',
    'The lease on "seat" could not be released: scripted did not confirm it. It is retried in the background until its ttl ends.',
    { cause: lost },
  ],
  [
    'a question without an answer',
    {},
    ({ provider, locks }) => {
      provider.inspecting = () => Promise.reject(lost);
      return locks.inspect('seat');
    },
    'LOCK_UNAVAILABLE',
    'scripted could not report the state of "seat"; see the cause.',
    { cause: lost },
  ],
];

describe('the message', () => {
  it.each(ofSeat)('of %s names the key and says what to do', async (_, options, call, code, message, more) => {
    await expect(call(createSetting(options))).rejects.toMatchObject({ code, key: 'seat', message, ...more });
  });

  it.each([
    [0, 'immediately'],
    [200, 'within 200 ms'],
  ])('of a lock that was not free names the way out, with wait %d', async (wait, when) => {
    const { runtime, locks } = createSetting({ answers: { tryAcquire: busyAtOnce, release: freeAtOnce } });
    const waiting = watch(locks.acquire('seat "1"', { wait }));
    await runtime.advance(wait);
    expect(waiting.error).toMatchObject({
      code: 'LOCK_TIMEOUT',
      key: 'seat "1"',
      message: `"seat \\"1\\"" was not free ${when}: others hold it or are queued for it. Raise option "wait", or use tryAcquire.`,
    });
  });

  it('of a backend that is silent says so, and has no cause', async () => {
    const { runtime, locks } = createSetting();
    const waiting = watch(locks.acquire('seat', { wait: 300 }));
    await runtime.advance(300);
    const message = 'scripted did not answer the request for "seat" in time, so its state is unknown.';
    expect(waiting.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'seat', message });
    expect(waiting.error).not.toHaveProperty('cause');
  });

  it('of a grant that came too late has both durations', async () => {
    const { runtime, provider, locks } = createSetting({ answers: free });
    const tried = watch(locks.tryAcquire('seat', { ttl: 300 }));
    runtime.block(400.4);
    provider.open('tryAcquire').grant();
    await settle();
    const message =
      'scripted granted "seat" after 400 ms, longer than its ttl of 300 ms. Raise option "ttl", or check the store.';
    expect(tried.error).toMatchObject({ cause: { code: 'LOCK_UNAVAILABLE', key: 'seat', message } });
  });

  it('of an answer that breaks the contract blames the adapter', async () => {
    const { locks } = createSetting({ answers: { ...free, tryAcquire: (call) => call.answer('yes') } });
    const message =
      'scripted returned an answer for "seat" that violates the provider contract. This is a bug of its adapter.';
    const cause = { code: 'LOCK_UNAVAILABLE', key: 'seat', message };
    await expect(locks.tryAcquire('seat')).rejects.toMatchObject({ cause });
  });

  it('of a renewal without an answer says that the lease may be held still', async () => {
    const { take } = createSetting({ answers: { renew: rejectAtOnce } });
    const lease = await take('seat');
    await expect(lease.renew()).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      cause: lost,
      message: 'The renewal of the lease on "seat" was not confirmed by scripted. It is held while "held" is true.',
    });
    expect([lease.held, lease.signal.aborted]).toEqual([true, false]);
  });

  it('of options and of work that are none shows how to call it', async () => {
    const { locks } = createSetting();
    await expect(locks.acquire('seat', 5 as never)).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      message: 'Lock options must be an object, such as { ttl: 30_000, wait: 5_000 }.',
    });
    await expect(locks.withLock('seat', 5 as never)).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      message: 'withLock(key, options, work): "work" must be a function.',
    });
  });

  it('of a sharer that wants all names the owner', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a', { mode: 'shared' }));
    await expect(provider.tryAcquire(claimOf('a'))).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      key: 'key',
      message: '"key" is held shared by a and cannot become exclusive: release it first.',
    });
  });

  it('of a closed Locks says what to do', async () => {
    const { locks } = createSetting();
    await locks.close();
    const closed = { code: 'LOCK_CLOSED', message: 'The client is closed. Create another one.' };
    await expect(locks.acquire('seat')).rejects.toMatchObject(closed);
    await expect(locks.inspect('seat')).rejects.toMatchObject(closed);
  });

  it('of a provider that is none says where URLs go', () => {
    const message =
      'createLocks needs a provider, such as createMemoryProvider(); for a URL or a configuration use openLocks.';
    for (const value of [
      undefined,
      null,
      'redis://host',
      {},
      { fromConfig() {} },
      { traits: {}, tryAcquire: () => {} },
    ]) {
      const refused = expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message }) as Error;
      expect(() => createLocks(value as never)).toThrow(refused);
    }
  });

  it('of a memory provider that is closed says so', async () => {
    const { provider } = createMemorySetting();
    await provider.close();
    await expect(provider.inspect('seat')).rejects.toMatchObject({
      code: 'LOCK_CLOSED',
      message: 'The memory provider is closed.',
    });
  });

  it('of a reentrant hold says what is wrong with it', async () => {
    const { locks } = createFreeSetting({ reentrant: true });
    const upgraded = await locks.withLock('seat', () => reasonOf(locks.withLock('seat', () => 1)), { mode: 'shared' });
    expect(upgraded).toMatchObject({
      code: 'LOCK_INVALID',
      key: 'seat',
      message: '"seat" is held shared by this context and cannot become exclusive: release it first.',
    });
    const released = await locks.withLock('seat', async (hold) => {
      await hold.release();
      return await reasonOf(hold.renew());
    });
    expect(released).toMatchObject({
      code: 'LOCK_INVALID',
      key: 'seat',
      message: 'This hold on "seat" was released, so it cannot be renewed.',
    });
  });
});
