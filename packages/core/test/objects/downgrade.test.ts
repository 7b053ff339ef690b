import { describe, expect, it } from 'vitest';
import { LockError } from '../../src/index.ts';
import { answerWell, createFreeSetting, createSetting, watch, well } from '../support/setting.ts';
import { settle } from '../support/virtual-runtime.ts';
import { lockError } from '../support/lock-error.ts';

const ttl = 1_000;

describe('lease.downgrade', () => {
  it('repeats the claim as shared: the same owner and token, and a restarted ttl', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const { token } = lease;
    runtime.block(200);
    const done = watch(lease.downgrade());
    const call = provider.open('tryAcquire');
    expect(call.claim).toMatchObject({ key: 'key', owner: lease.owner, mode: 'shared' });
    expect(call.wake).toBeUndefined();
    call.grant({ token });
    await settle();
    expect(done.state).toBe('fulfilled');
    expect([lease.mode, lease.token, lease.held]).toEqual(['shared', token, true]);
    expect(lease.remaining).toBeGreaterThan(900);
    answerWell(provider);
    await runtime.advance(5_000);
    expect(provider.renewals.length).toBeGreaterThan(5);
    expect(provider.renewals.every(({ claim }) => claim.mode === 'shared')).toBe(true);
    await lease.release();
    expect(provider.releases[0]?.claim.mode).toBe('shared');
  });

  it('is shared already, or downgraded twice: no call', async () => {
    const { provider, locks } = createFreeSetting();
    const shared = await locks.acquire('key', { ttl, mode: 'shared' });
    await shared.downgrade();
    expect(provider.attempts).toHaveLength(1);
  });

  it.each([
    ['another token', (token: bigint) => ({ granted: true, token: token + 1n })],
    ['busy', () => ({ granted: false })],
  ])('is lost where the answer is %s: the hold had ended', async (_, answer) => {
    const { provider, take } = createSetting({ answers: well });
    const lease = await take('key', { ttl });
    const done = watch(lease.downgrade());
    provider.open('tryAcquire').answer(answer(lease.token));
    await settle();
    expect(done.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(lease.held).toBe(false);
    expect(provider.releases).toHaveLength(1);
  });

  it('counts as shared from the call, and the next renewal asks again where the answer was lost', async () => {
    const { runtime, provider, take } = createSetting({ answers: well });
    const lease = await take('key', { ttl });
    const done = watch(lease.downgrade());
    expect(lease.mode).toBe('shared');
    provider.open('tryAcquire').reject();
    await settle();
    expect(done.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect([lease.held, lease.mode]).toEqual([true, 'shared']);
    await runtime.advance(400);
    expect(provider.renewals).toHaveLength(0);
    provider.open('tryAcquire').grant({ token: lease.token });
    await runtime.advance(400);
    expect(provider.attempts).toHaveLength(3);
    expect(provider.renewals.length).toBeGreaterThan(0);
    await lease.release();
  });

  it('stays exclusive, and renewed, where the provider refuses', async () => {
    const { runtime, provider, take } = createSetting({ answers: well });
    const lease = await take('key', { ttl });
    const done = watch(lease.downgrade());
    provider.open('tryAcquire').reject(new LockError('LOCK_INVALID', 'shared with 3 permits'));
    await settle();
    expect(done.error).toMatchObject({ code: 'LOCK_INVALID', message: 'shared with 3 permits' });
    expect(lease.mode).toBe('exclusive');
    await runtime.advance(5_000);
    expect(lease.held).toBe(true);
    expect(provider.renewals.every(({ claim }) => claim.mode === 'exclusive')).toBe(true);
    await lease.release();
  });

  it('waits for the renewal in flight, as calls of one owner do not overlap', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    delete provider.answers.renew;
    const lease = await locks.acquire('key', { ttl });
    await runtime.advance(400);
    const done = watch(lease.downgrade());
    expect(provider.attempts).toHaveLength(1);
    provider.answers.tryAcquire = (call) => call.grant({ token: lease.token });
    provider.open('renew').answer({});
    await settle();
    expect(provider.attempts).toHaveLength(2);
    expect(done.state).toBe('fulfilled');
    await lease.release();
  });

  it('is refused without a shared mode, after the release, and beside other holds of the context', async () => {
    const { locks } = createFreeSetting({ traits: { shared: false } });
    const lease = await locks.acquire('key', { ttl });
    await expect(lease.downgrade()).rejects.toMatchObject(lockError('LOCK_INVALID', 'trait "shared"'));
    await lease.release();
    await expect(lease.downgrade()).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    const reentrant = createFreeSetting({ reentrant: true, ttl });
    await reentrant.locks.withLock('key', async (outer) => {
      await reentrant.locks.withLock('key', async (inner) => {
        for (const hold of [outer, inner]) {
          await expect(hold.downgrade()).rejects.toMatchObject(lockError('LOCK_INVALID', 'held 2 times'));
        }
      });
      reentrant.provider.answers.tryAcquire = (call) => call.grant({ token: outer.token });
      await outer.downgrade();
      expect(outer.mode).toBe('shared');
    });
  });
});
