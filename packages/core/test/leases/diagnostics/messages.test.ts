import { describe, expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { LockError, LockProvider } from '../../../src/index.ts';
import { createFreeSetting, createSetting, watch } from '../../support/setting.ts';
import { busyAtOnce, freeAtOnce, rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';
import { claimOf, createMemorySetting, sharedOf } from '../../support/memory-setting.ts';

const ttl = 300;

/** What a call rejects with, in parts, so that an absent cause is told from an undefined one. */
async function errorOf(call: Promise<unknown>) {
  const error = (await call.then(
    () => expect.unreachable('it did not reject'),
    (reason: unknown) => reason,
  )) as LockError;
  const { code, key, message, cause, result } = error;
  return { code, key, message, cause, result, hasCause: 'cause' in error };
}

describe('the message', () => {
  it.each([
    [0, 'now'],
    [200, 'within 200 ms'],
  ])('of a lock that was not free names the way out, with wait %d', async (wait, when) => {
    const { runtime, locks } = createSetting({ answers: { tryAcquire: busyAtOnce, release: freeAtOnce } });
    const error = errorOf(locks.acquire('seat "1"', { wait }));
    await runtime.advance(wait);
    expect(await error).toMatchObject({
      code: 'LOCK_TIMEOUT',
      key: 'seat "1"',
      message: `"seat \\"1\\"" was not free ${when}: others hold it or are in the queue. Raise option "wait", or use tryAcquire.`,
    });
  });

  it('of a backend that is silent says so, and has no cause', async () => {
    const { runtime, locks } = createSetting();
    const error = errorOf(locks.acquire('seat', { wait: 300 }));
    await runtime.advance(300);
    expect(await error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      hasCause: false,
      message: 'scripted did not answer about "seat" in time, so its holder is unknown.',
    });
  });

  it('of a backend that rejects points to the cause', async () => {
    const { locks } = createSetting({ answers: { tryAcquire: rejectAtOnce, release: freeAtOnce } });
    expect(await errorOf(locks.tryAcquire('seat'))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      hasCause: true,
      cause: new Error('connection lost'),
      message: 'scripted gave no usable answer about "seat", so its holder is unknown; see the cause.',
    });
  });

  it('of a grant that came too late has both durations', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const error = errorOf(locks.tryAcquire('seat', { ttl }));
    runtime.block(400.4);
    provider.open('tryAcquire').grant();
    expect((await error).cause).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      message: 'scripted answered after 400 ms; a grant with a ttl of 300 ms is over by then.',
    });
  });

  it('of an answer that breaks the contract blames the adapter', async () => {
    const { provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const error = errorOf(locks.tryAcquire('seat'));
    provider.open('tryAcquire').answer('yes');
    expect((await error).cause).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      message: 'scripted gave an answer about "seat" that its contract does not allow; its adapter is at fault.',
    });
  });

  it('of one waiter too many names the option', async () => {
    const { locks } = createSetting({ maxWaiters: 1, answers: { tryAcquire: busyAtOnce } });
    watch(locks.acquire('seat'));
    await settle();
    expect(await errorOf(locks.acquire('seat'))).toMatchObject({
      code: 'LOCK_OVERLOADED',
      key: 'seat',
      message: '1 claim waits already; option "maxWaiters" of this Locks allows no more.',
    });
  });

  it('of a renewal after the release says what to do', async () => {
    const { locks } = createFreeSetting();
    const lease = await locks.acquire('seat');
    await lease.release();
    expect(await errorOf(lease.renew())).toMatchObject({
      code: 'LOCK_INVALID',
      key: 'seat',
      message: 'The lease on "seat" was released and cannot be renewed; acquire the key again.',
    });
  });

  it('of a renewal without an answer says that the lease may be held still', async () => {
    const { provider, take } = createSetting();
    const lease = await take('seat');
    const error = errorOf(lease.renew());
    const cause = new Error('connection lost');
    provider.open('renew').reject(cause);
    expect(await error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      cause,
      message:
        'The lease on "seat" could not be renewed: scripted did not confirm it. It is held while "held" says so.',
    });
    expect([lease.held, lease.signal.aborted]).toEqual([true, false]);
  });

  it('of a release without an answer says what happens next', async () => {
    const { provider, take } = createSetting();
    const lease = await take('seat');
    const error = errorOf(lease.release());
    const cause = new Error('connection lost');
    provider.open('release').reject(cause);
    provider.answers.release = freeAtOnce;
    expect(await error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      cause,
      message:
        'The lease on "seat" could not be released: scripted did not confirm it. It is tried again in the background until its ttl is over.',
    });
  });

  it.each([
    ['was not renewed', 'it was not renewed before its validity ended', Infinity],
    ['was held too long', 'its maxHold is over', 100],
  ])('of a lease that %s says so', async (_, why, maxHold) => {
    const { runtime, take } = createSetting();
    const lease = await take('seat', { ttl, renew: false, maxHold });
    runtime.block(ttl);
    expect(await errorOf(lease.renew())).toMatchObject({
      code: 'LOCK_LOST',
      key: 'seat',
      message: `The lease on "seat" is lost: ${why}.`,
    });
  });

  it.each([
    ['a renewal', 1],
    [String.raw`\d+ renewals in a row`, Infinity],
  ])('of a lease that lost %s says so, with the last failure', async (renewals, failures) => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('seat', { ttl });
    const cause = new Error('connect ECONNREFUSED');
    let calls = 0;
    provider.answers.renew = (call) => {
      calls += 1;
      if (calls <= failures) call.reject(cause);
    };
    provider.answers.release = freeAtOnce;
    await runtime.advance(2 * ttl);
    expect(lease.signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringMatching(new RegExp(`scripted did not confirm ${renewals}; see the cause\\.$`)) as string,
      cause: { code: 'LOCK_UNAVAILABLE', cause },
    });
  });

  it('of a lease whose renewal has no answer says so', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('seat', { ttl });
    provider.answers.release = freeAtOnce;
    await runtime.advance(2 * ttl);
    expect(lease.signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringMatching(/validity ended: scripted has not answered for \d+ ms\.$/) as string,
    });
  });

  it.each([false, true])(
    'of a lease that an outage took names it, with its renewals answered: %s',
    async (answered) => {
      const { runtime, provider, take } = createSetting();
      const cause = new Error('connect ECONNREFUSED');
      const lease = await take('seat', { ttl });
      // As a session answers that still lasts, and cannot ask its servers.
      if (answered) provider.answers.renew = (call) => call.answer({ validity: lease.remaining });
      provider.answers.release = freeAtOnce;
      (provider as LockProvider).outage = () => cause;
      await runtime.advance(2 * ttl);
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', cause });
      if (answered)
        expect((lease.signal.reason as Error).message).toMatch(/ended: scripted cannot be reached; see the cause\.$/);
    },
  );

  it.each([false, true])(
    'of a lease whose process stood still says so, with a renewal under way: %s',
    async (asked) => {
      const { runtime, provider, take } = createSetting();
      const lease = await take('seat', { ttl });
      provider.answers.release = freeAtOnce;
      if (asked) void lease.renew().catch(() => {});
      runtime.block(3_000);
      expect(lease.held).toBe(false);
      expect(lease.signal.reason).toMatchObject({
        code: 'LOCK_LOST',
        message: expect.stringMatching(/, as this process did not run for 2\d{3} ms\.$/) as string,
      });
    },
  );

  it('of a lease that was lost to others names the provider', async () => {
    const { provider, take } = createSetting();
    const lease = await take('seat');
    provider.answers.release = freeAtOnce;
    const error = errorOf(lease.renew());
    provider.open('renew').answer(false);
    expect(await error).toMatchObject({
      code: 'LOCK_LOST',
      message: 'The lease on "seat" is lost: scripted says that this owner does not hold it any more.',
    });
  });

  it('of work whose lease was lost says what that means', async () => {
    const { runtime, locks } = createFreeSetting();
    const work = (): string => {
      runtime.block(ttl);
      return 'done';
    };
    expect(await errorOf(locks.withLock('seat', work, { ttl, renew: false }))).toMatchObject({
      code: 'LOCK_LOST',
      key: 'seat',
      result: 'done',
      message:
        'The lease on "seat" is lost: it was not renewed before its validity ended. The work under it went on without protection.',
    });
  });

  it('of options that are none shows some', async () => {
    const { locks } = createSetting();
    expect(await errorOf(locks.acquire('seat', 5 as never))).toMatchObject({
      code: 'LOCK_INVALID',
      message: 'Lock options must be an object, such as { ttl: 30_000, wait: 5_000 }.',
    });
  });

  it('of a sharer that wants all names the owner', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(sharedOf('a'));
    expect(await errorOf(provider.tryAcquire(claimOf('a')))).toMatchObject({
      code: 'LOCK_INVALID',
      key: 'key',
      message: '"key" is held shared by a and cannot become exclusive: release it first.',
    });
  });

  it('of work that is no function shows how to call it', async () => {
    const { locks } = createSetting();
    expect(await errorOf(locks.withLock('seat', 5 as never))).toMatchObject({
      code: 'LOCK_INVALID',
      message: 'withLock(key, options, work): "work" must be a function.',
    });
  });

  it('of a closed Locks says what to do', async () => {
    const { locks } = createSetting();
    await locks.close();
    const closed = { code: 'LOCK_CLOSED', message: 'This Locks is closed; open another one.' };
    expect(await errorOf(locks.acquire('seat'))).toMatchObject(closed);
    expect(await errorOf(locks.inspect('seat'))).toMatchObject(closed);
  });

  it('of a question without an answer names the provider and the key', async () => {
    const { provider, locks } = createSetting();
    provider.inspecting = () => Promise.reject(new Error('connection lost'));
    expect(await errorOf(locks.inspect('seat'))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      message: 'scripted could not be asked about "seat".',
    });
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
    expect(await errorOf(provider.inspect('seat'))).toMatchObject({
      code: 'LOCK_CLOSED',
      message: 'The memory provider is closed.',
    });
  });

  it('of a reentrant hold says what is wrong with it', async () => {
    const { locks } = createFreeSetting({ reentrant: true });
    const upgraded = await locks.withLock('seat', () => errorOf(locks.withLock('seat', () => 1)), { mode: 'shared' });
    expect(upgraded).toMatchObject({
      code: 'LOCK_INVALID',
      key: 'seat',
      message: '"seat" is held shared by this context and cannot become exclusive: release it first.',
    });
    const released = await locks.withLock('seat', async (hold) => {
      await hold.release();
      return await errorOf(hold.renew());
    });
    expect(released).toMatchObject({
      code: 'LOCK_INVALID',
      key: 'seat',
      message: 'This hold on "seat" was released and cannot be renewed.',
    });
  });
});
