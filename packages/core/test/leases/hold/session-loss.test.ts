import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LockError } from '../../../src/index.ts';
import { answerWell, createSetting, watch, well } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe("a grant's lost signal", () => {
  it('loses the lease at once', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' } });
    const session = new AbortController();
    provider.answers.tryAcquire = (call) => call.grant({ lost: session.signal });
    const lease = await locks.acquire('key', { ttl });
    const { signal } = lease;
    session.abort();
    expect(lease.held).toBe(false);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    expect(String(signal.reason)).toContain('session');
    await settle();
    expect(provider.releases).toHaveLength(1);
  });

  it('tells why, where its provider does', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' } });
    const session = new AbortController();
    provider.answers.tryAcquire = (call) => call.grant({ lost: session.signal });
    const { signal } = await locks.acquire('key', { ttl });
    const cause = new LockError('LOCK_LOST', 'fewer than 2 of the 3 members hold it');
    session.abort(cause);
    expect(signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: 'The lease on "key" is lost: fewer than 2 of the 3 members hold it.',
      cause,
    });
  });

  it('that is aborted already loses the lease before its holder has it', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' } });
    provider.answers.tryAcquire = (call) => call.grant({ lost: AbortSignal.abort() });
    const acquired = watch(locks.acquire('key', { ttl }));
    await settle();
    expect(acquired.value?.held).toBe(false);
    expect(acquired.value?.signal.aborted).toBe(true);
    expect(provider.releases).toHaveLength(1);
  });

  it('has one listener, however many leases it carries, and loses them all', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' } });
    const session = new AbortController();
    answerWell(provider);
    provider.answers.tryAcquire = (call) => call.grant({ lost: session.signal });
    const leases = await Promise.all(Array.from({ length: 50 }, (_, index) => locks.acquire(`key ${index}`, { ttl })));
    expect(getEventListeners(session.signal, 'abort')).toHaveLength(1);
    session.abort();
    expect(leases.filter((lease) => lease.held)).toEqual([]);
    await settle();
    expect(provider.releases).toHaveLength(50);
  });

  it('has no listener left after many leases came and went', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' }, answers: { ...well } });
    const session = new AbortController();
    provider.answers.tryAcquire = (call) => call.grant({ lost: session.signal });
    const first = await locks.acquire('first', { ttl });
    for (let index = 0; index < 20; index += 1) await (await locks.acquire('key', { ttl })).release();
    expect(getEventListeners(session.signal, 'abort')).toHaveLength(1);
    await first.release();
    expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
  });

  it('does not touch a lease that was released before', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' }, answers: { ...well } });
    const session = new AbortController();
    provider.answers.tryAcquire = (call) => call.grant({ lost: session.signal });
    const lease = await locks.acquire('key', { ttl });
    await lease.release();
    session.abort();
    await settle();
    expect(lease.signal.aborted).toBe(false);
    expect(provider.releases).toHaveLength(1);
  });

  it('does not touch the leases of another session', async () => {
    const { provider, locks } = createSetting({ traits: { expiry: 'session' } });
    const sessions = [new AbortController(), new AbortController()] as const;
    provider.answers.tryAcquire = (call) => call.grant({ lost: sessions[call.claim.key === 'first' ? 0 : 1].signal });
    const first = await locks.acquire('first', { ttl });
    const second = await locks.acquire('second', { ttl });
    sessions[0].abort();
    expect([first.held, second.held]).toEqual([false, true]);
  });
});
