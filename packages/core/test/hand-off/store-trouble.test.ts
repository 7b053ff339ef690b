import { describe, expect, it } from 'vitest';
import { LockError } from '../../src/index.ts';
import type { AcquireOptions, Lease } from '../../src/index.ts';
import { createSetting, expectNothingLeft, watch } from '../support/setting.ts';
import type { Setting, SettingOptions } from '../support/setting.ts';
import { settle } from '../support/virtual-runtime.ts';

const localHandOff = { count: 3, ms: 1_000 };

/** A lease, and a claim of the same process that waits behind it. */
async function oneBehind(options: SettingOptions = {}, own: AcquireOptions = {}) {
  const setting = createSetting({ localHandOff, ttl: 1_000, ...options });
  const first = await setting.take('key', own);
  const next = watch(setting.locks.acquire('key', own), setting.runtime);
  await settle();
  expect(setting.provider.attempts).toHaveLength(1);
  return { ...setting, first, next };
}

/** Nothing is left once the last call is answered. */
async function end(setting: Setting, lease: Lease): Promise<void> {
  const releasing = lease.release();
  setting.provider.open('release').answer(true);
  expect(await releasing).toBe(true);
  await expectNothingLeft(setting);
}

describe('the first hand-off', () => {
  it('waits until the store has the tokens of all of them', async () => {
    const { first, next, provider, ...setting } = await oneBehind();
    const releasing = watch(first.release());
    await settle();
    const reserving = provider.open('renew');
    expect(reserving.claim.owner).toBe(first.owner);
    expect(reserving.raisesTo).toBe(first.token + 3n);
    expect(releasing.state).toBe('open');
    expect(next.state).toBe('open');
    reserving.answer({});
    await settle();
    expect(releasing.value).toBe(true);
    expect(next.value?.token).toBe(first.token + 1n);
    expect(provider.releases).toHaveLength(0);
    await end({ ...setting, provider }, next.value!);
  });

  it.each([
    ['refuses', (answer: (value: unknown) => void) => answer(false)],
    ['does not confirm', (_: unknown, reject: () => void) => reject()],
    ['answers wrongly about', (answer: (value: unknown) => void) => answer({ validity: Number.NaN })],
  ])('does not happen where the store %s their tokens', async (_, settleCall) => {
    const { first, next, provider, ...setting } = await oneBehind();
    const releasing = watch(first.release());
    await settle();
    const reserving = provider.open('renew');
    settleCall(
      (value) => reserving.answer(value),
      () => reserving.reject(),
    );
    await settle();
    expect(provider.open('release').claim.owner).toBe(first.owner);
    // The next claim asks the store, as it would have without hand-offs.
    expect(provider.attempts).toHaveLength(2);
    provider.open('release').answer(true);
    provider.open('tryAcquire').grant();
    await settle();
    expect(releasing.value).toBe(true);
    await end({ ...setting, provider }, next.value!);
  });

  it('does not happen where tokens would end', async () => {
    const setting = createSetting({ localHandOff, ttl: 1_000 });
    const { locks, provider } = setting;
    const taking = locks.acquire('key');
    provider.open('tryAcquire').grant({ token: 2n ** 53n - 3n });
    const first = await taking;
    const next = watch(locks.acquire('key'));
    const releasing = first.release();
    await settle();
    expect(provider.renewals).toHaveLength(0);
    provider.open('release').answer(true);
    provider.open('tryAcquire').grant({ token: 2n ** 53n - 2n });
    await releasing;
    await settle();
    await end(setting, next.value!);
  });

  it('does not happen while a renewal is in flight', async () => {
    const { first, next, provider, ...setting } = await oneBehind();
    const renewing = watch(first.renew());
    const releasing = first.release();
    await settle();
    expect(provider.renewals).toHaveLength(1);
    provider.open('renew').answer({});
    provider.open('release').answer(true);
    provider.open('tryAcquire').grant();
    expect(await releasing).toBe(true);
    await settle();
    expect(renewing.error).toMatchObject({ code: 'LOCK_INVALID' });
    await end({ ...setting, provider }, next.value!);
  });

  it('does not happen where the answer of the store comes late', async () => {
    const { first, next, provider, runtime, ...setting } = await oneBehind();
    const releasing = first.release();
    await settle();
    runtime.block(600);
    provider.open('renew').answer({});
    await settle();
    expect(provider.open('release').claim.owner).toBe(first.owner);
    provider.open('release').answer(true);
    provider.open('tryAcquire').grant();
    expect(await releasing).toBe(true);
    await settle();
    await end({ ...setting, runtime, provider }, next.value!);
  });

  it('comes too late where the store answers after the time for hand-offs', async () => {
    const { runtime, first, next, provider, ...setting } = await oneBehind({ ttl: 10_000 });
    const releasing = watch(first.release());
    await runtime.advance(1_001);
    // The claim did not wait for the answer any longer.
    provider.open('tryAcquire').busy(10_000);
    provider.open('renew').answer({});
    await settle();
    provider.open('release').answer(true);
    await settle();
    expect(releasing.value).toBe(true);
    provider.attempts.at(-1)!.wake?.();
    await settle();
    provider.open('tryAcquire').grant();
    await settle();
    await end({ ...setting, runtime, provider }, next.value!);
  });
});

describe('a lease that was handed on', () => {
  it('is released in the store again and again under the owner that the store knows', async () => {
    const { first, next, provider, runtime, locks } = await oneBehind();
    const handing = first.release();
    provider.answers.renew = (call) => call.answer({});
    await settle();
    provider.open('renew').answer({});
    await handing;
    await settle();
    const releasing = watch(next.value!.release());
    provider.open('release').reject();
    await settle();
    expect(releasing.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await runtime.advance(100);
    const again = provider.open('release');
    expect(again.claim.owner).toBe(first.owner);
    again.answer(true);
    await settle();
    await expectNothingLeft({ runtime, locks });
  });

  it('is lost when the store says so', async () => {
    const { first, next, provider, runtime, locks } = await oneBehind();
    const handing = first.release();
    await settle();
    provider.open('renew').answer({});
    await handing;
    await settle();
    const lease = next.value!;
    const behind = watch(locks.acquire('key'));
    await settle();
    const renewing = watch(lease.renew());
    provider.open('renew').answer(false);
    await settle();
    expect(renewing.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(lease.signal.aborted).toBe(true);
    // What it lost is not handed on.
    expect(provider.open('release').claim.owner).toBe(first.owner);
    provider.open('release').answer(false);
    provider.open('tryAcquire').grant();
    await settle();
    expect(behind.value?.held).toBe(true);
    provider.answers.release = (call) => call.answer(true);
    await behind.value!.release();
    await expectNothingLeft({ runtime, locks });
  });

  it('is exclusive still where the store has refused to share it', async () => {
    const { first, next, provider, ...setting } = await oneBehind();
    const handing = first.release();
    await settle();
    provider.open('renew').answer({});
    await handing;
    await settle();
    const sharing = watch(next.value!.downgrade());
    expect(provider.open('tryAcquire').claim).toMatchObject({ owner: first.owner, mode: 'shared' });
    provider.open('tryAcquire').reject(new LockError('LOCK_INVALID', 'no sharing here'));
    await settle();
    expect(sharing.error).toMatchObject({ message: 'no sharing here' });
    const releasing = next.value!.release();
    expect(provider.open('release').claim).toMatchObject({ owner: first.owner, mode: 'exclusive' });
    provider.open('release').answer(true);
    expect(await releasing).toBe(true);
    await expectNothingLeft({ ...setting });
  });

  it('is renewed under the owner that the store knows, and for as long as it says', async () => {
    const { first, next, provider, runtime } = await oneBehind();
    const handing = first.release();
    await settle();
    await runtime.advance(100);
    provider.open('renew').answer({ validity: 800 });
    await handing;
    await settle();
    const lease = next.value!;
    // Counted from the send, less the margins.
    expect(lease.remaining).toBeGreaterThan(660);
    expect(lease.remaining).toBeLessThanOrEqual(690);
    await runtime.advance(300);
    expect(provider.open('renew').claim.owner).toBe(first.owner);
    expect(provider.open('renew').raisesTo).toBeUndefined();
    provider.open('renew').answer({});
    await settle();
    expect(lease.remaining).toBeGreaterThan(900);
    provider.answers.release = (call) => call.answer(true);
    await lease.release();
  });
});

describe('claims behind one that gets no answer of the store', () => {
  it('hear so, and reject when it has lasted for a ttl', async () => {
    const setting = createSetting({ localHandOff, ttl: 1_000 });
    const { locks, provider, runtime } = setting;
    const waits = Array.from({ length: 3 }, () => watch(locks.acquire('key'), runtime));
    provider.open('tryAcquire').reject(new Error('the store is down'));
    provider.answers.tryAcquire = (call) => call.reject(new Error('the store is down'));
    provider.answers.release = (call) => call.answer(false);
    await runtime.advance(3_000);
    for (const { error, at } of waits) {
      expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(at).toBeLessThan(1_000 + 1_600);
    }
    // The first one alone has asked.
    expect(new Set(provider.attempts.map(({ claim }) => claim.owner)).size).toBe(1);
    await runtime.advance(2_000);
    await expectNothingLeft(setting);
  });

  it('wait on when the store is back', async () => {
    const setting = createSetting({ localHandOff, ttl: 1_000 });
    const { locks, provider, runtime } = setting;
    const waits = Array.from({ length: 3 }, () => watch(locks.acquire('key'), runtime));
    provider.open('tryAcquire').reject(new Error('the store is down'));
    await runtime.advance(300);
    provider.open('tryAcquire').grant();
    provider.answers.renew = (call) => call.answer({});
    provider.answers.release = (call) => call.answer(true);
    for (let index = 0; index < 3; index += 1) {
      await runtime.advance(100);
      expect(waits[index]!.value?.held).toBe(true);
      await waits[index]!.value!.release();
    }
    await settle();
    await expectNothingLeft(setting);
  });
});

describe('atLeast', () => {
  it('counts from the grant: a claim that is handed a hold asks for its whole ttl', async () => {
    const bounds = { count: 3, ms: 2_000 };
    const { first, next, provider, runtime, locks } = await oneBehind({ localHandOff: bounds }, { atLeast: 900 });
    provider.answers.renew = (call) => call.raisesTo ?? call.answer({});
    // Its key rests until then.
    await runtime.advance(920);
    const handing = first.release();
    await settle();
    const reserving = provider.open('renew');
    await runtime.advance(150);
    reserving.answer({});
    await handing;
    await settle();
    const again = provider.open('tryAcquire');
    expect(again.claim.owner).toBe(first.owner);
    again.answer({ granted: true, token: reserving.raisesTo });
    await settle();
    expect(next.value?.token).toBe(first.token + 1n);
    provider.answers.renew = (call) => call.answer({});
    provider.answers.release = (call) => call.answer(true);
    await next.value!.release();
    await runtime.advance(2_000);
    await expectNothingLeft({ runtime, locks });
  });
});
