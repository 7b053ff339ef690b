import { describe, expect, it } from 'vitest';
import { createSetting, watch } from '../../support/setting.ts';
import { busyAtOnce, freeAtOnce, rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('close', () => {
  it('aborts the signals of held leases with LOCK_CLOSED, then releases them, and is done when they are', async () => {
    const { runtime, provider, locks, take } = createSetting();
    const lease = await take('key', { ttl });
    let releasesAtAbort = -1;
    lease.signal.addEventListener('abort', () => (releasesAtAbort = provider.releases.length));
    const closing = watch(locks.close());
    expect(lease.held).toBe(false);
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(releasesAtAbort).toBe(0);
    expect(provider.releases.map((call) => call.claim.owner)).toEqual([lease.owner]);
    await runtime.advance(100);
    expect(closing.state).toBe('open');
    provider.open('release').answer(true);
    await settle();
    expect(closing.state).toBe('fulfilled');
    expect(runtime.pendingTimers).toBe(0);
  });

  it('aborts also a signal that is asked for only after it', async () => {
    const { provider, locks, take } = createSetting({ answers: { release: freeAtOnce } });
    const lease = await take('key', { ttl });
    await locks.close();
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(lease.remaining).toBe(0);
    expect(await lease.release()).toBe(false);
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    expect(provider.releases).toHaveLength(1);
  });

  it('waits for a release that its holder has sent', async () => {
    const { provider, locks, take } = createSetting();
    const lease = await take('key', { ttl });
    watch(lease.release());
    const closing = watch(locks.close());
    await settle();
    expect(closing.state).toBe('open');
    expect(provider.releases).toHaveLength(1);
    provider.open('release').answer(true);
    await settle();
    expect(closing.state).toBe('fulfilled');
  });

  it('takes no longer than closeTimeout with a silent provider', async () => {
    const { runtime, locks, take } = createSetting({ closeTimeout: 700 });
    await take('held', { ttl: 60_000 });
    watch(locks.acquire('wanted'));
    const closing = watch(locks.close(), runtime);
    await settle();
    expect(runtime.keepAliveTimers).toBe(1);
    await runtime.advance(5_000);
    expect(closing.took).toBe(700);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('repeats rejected releases until closeTimeout, and not after it', async () => {
    const { runtime, provider, locks, take } = createSetting({ closeTimeout: 700, answers: { release: rejectAtOnce } });
    await take('held', { ttl: 60_000 });
    const closing = watch(locks.close());
    await runtime.advance(700);
    expect(closing.state).toBe('fulfilled');
    expect(runtime.pendingTimers).toBe(0);
    const sent = provider.releases.length;
    expect(sent).toBeGreaterThan(2);
    await runtime.advance(60_000);
    expect(provider.releases.length).toBeLessThanOrEqual(sent + 1);
    expect(runtime.pendingTimers).toBe(0);
  });

  it.each([
    ['goes on releasing behind it, where a session would keep the claims', false],
    ['ends with the session, where that is its own', true],
  ])('%s', async (_, closeProvider) => {
    const { runtime, provider, locks, take } = createSetting({
      traits: { expiry: 'session' },
      closeTimeout: 500,
      closeProvider,
    });
    await take('held', { ttl });
    provider.answers.tryAcquire = busyAtOnce;
    void watch(locks.acquire('waits', { ttl }));
    await settle();
    provider.answers.release = rejectAtOnce;
    const closing = watch(locks.close());
    await runtime.advance(500);
    expect(closing.state).toBe('fulfilled');
    await runtime.advance(10 * ttl);
    const before = provider.releases.length;
    provider.answers.release = freeAtOnce;
    await runtime.advance(10 * ttl);
    expect(provider.releases.slice(before).map(({ claim }) => claim.key)).toEqual(
      closeProvider ? [] : expect.arrayContaining(['held', 'waits']),
    );
    expect(provider.releases.length - before).toBe(closeProvider ? 0 : 2);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('is idempotent', async () => {
    const { provider, locks, take } = createSetting({ answers: { release: freeAtOnce } });
    await take('key', { ttl });
    const first = locks.close();
    const second = locks.close();
    await Promise.all([first, second, locks[Symbol.asyncDispose]()]);
    await locks.close();
    expect(provider.releases).toHaveLength(1);
  });

  it('refuses all later calls with LOCK_CLOSED, from the moment it is called', async () => {
    const { provider, locks, take } = createSetting();
    await take('key', { ttl });
    const closing = watch(locks.close());
    const calls = [
      locks.acquire('key'),
      locks.tryAcquire('key'),
      locks.withLock('key', () => 1),
      locks.inspect('key'),
      locks.acquire('key', { reentrant: true }),
    ].map((call) => watch<unknown>(call));
    await settle();
    for (const call of calls) expect(call.error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(provider.attempts).toHaveLength(1);
    provider.open('release').answer(true);
    await settle();
    expect(closing.state).toBe('fulfilled');
  });

  it('releases an attempt in flight that is granted after it has ended', async () => {
    const { runtime, provider, locks } = createSetting({ closeTimeout: 100, answers: { release: freeAtOnce } });
    const acquired = watch(locks.acquire('key', { ttl }));
    const closing = watch(locks.close());
    await runtime.advance(100);
    expect(closing.state).toBe('fulfilled');
    expect(acquired.error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(provider.releases).toHaveLength(0);
    provider.open('tryAcquire').grant();
    await settle();
    expect(provider.releases).toHaveLength(1);
  });

  it('waits for an attempt in flight and releases what it was granted', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    watch(locks.acquire('key', { ttl }));
    const closing = watch(locks.close());
    await runtime.advance(100);
    expect(closing.state).toBe('open');
    provider.open('tryAcquire').grant();
    await settle();
    expect(closing.state).toBe('fulfilled');
    expect(provider.releases).toHaveLength(1);
  });
});
