import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider } from '../../../src/index.ts';
import type { AcquireOptions } from '../../../src/index.ts';
import { createSetting, watch } from '../../support/setting.ts';
import { grantAtOnce } from '../../support/scripted-provider.ts';
import { lockError } from '../../support/lock-error.ts';

const wrong: readonly [name: string, value: unknown, shown: string, expected: string][] = [
  ['ttl', 49, '49', 'an integer from 50 to 86400000 (ms)'],
  ['ttl', 86_400_001, '86400001', 'an integer from 50 to 86400000 (ms)'],
  ['ttl', 100.5, '100.5', 'an integer from 50 to 86400000 (ms)'],
  ['ttl', '49ms', '"49ms"', 'an integer from 50 to 86400000 (ms), or text such as "30s"'],
  ['wait', -1, '-1', 'a number of ms of at least 0, or Infinity'],
  ['wait', 'soon', '"soon"', 'a number of ms of at least 0, or Infinity'],
  ['maxHold', 0, '0', 'a number of ms of at least 1, or Infinity'],
  ['maxHold', true, 'true', 'a number of ms of at least 1, or Infinity'],
  ['renew', 1, '1', 'true or false'],
  ['label', 'a/b', '"a/b"', '1 to 64 printable ASCII characters'],
  ['label', 'x'.repeat(65), `"${'x'.repeat(60)}…"`, '1 to 64 printable ASCII characters'],
  ['reentrant', 'yes', '"yes"', 'true or false'],
  ['mode', 'write', '"write"', '"exclusive" or "shared"'],
  ['mode', [], 'an array', '"exclusive" or "shared"'],
  ['permits', 0, '0', 'an integer from 1 to'],
  ['signal', new AbortController(), 'a value of type object', 'an AbortSignal'],
  ['signal', null, 'null', 'an AbortSignal'],
];

describe('a wrong option of a call', () => {
  it.each(wrong)(
    'is refused with its name, its value and what it must be: %s: %s',
    async (name, value, shown, expected) => {
      const { provider, locks } = createSetting();
      const options = { mode: 'shared', [name]: value } as AcquireOptions;
      const refusal = lockError('LOCK_INVALID', `option "${name}" must be ${expected}`);
      await expect(locks.acquire('key', options)).rejects.toMatchObject(refusal);
      await expect(locks.acquire('key', options)).rejects.toThrow(`not ${shown}.`);
      await expect(locks.tryAcquire('key', options)).rejects.toMatchObject(refusal);
      await expect(locks.withLock('key', () => 1, options)).rejects.toMatchObject(refusal);
      expect(provider.calls).toHaveLength(0);
    },
  );

  it.each(['retries', 'TTL', '', 'toString', '__proto__x', 'constructor'])(
    'is also a name that does not exist: %s',
    async (name) => {
      const { locks } = createSetting();
      await expect(locks.acquire('key', { [name]: 1 })).rejects.toMatchObject(
        lockError(
          'LOCK_INVALID',
          /unknown option ".*Known options: ttl, wait, signal, renew, maxHold, atLeast, lockDelay, mode, permits, reentrant, waitForSelf, label\./,
        ),
      );
    },
  );

  it.each([
    ['tll', 'ttl'],
    ['waits', 'wait'],
    ['maxhold', 'maxHold'],
    ['re-entrant', 'reentrant'],
  ])('%s is answered with a near name: %s', async (name, near) => {
    const { locks } = createSetting();
    await expect(locks.acquire('key', { [name]: 1 })).rejects.toThrow(`Did you mean "${near}"?`);
  });

  it('has no near name when none is near', async () => {
    const { locks } = createSetting();
    await expect(locks.acquire('key', { retries: 1 } as AcquireOptions)).rejects.not.toThrow('Did you mean');
  });

  it('is refused when permits are asked for with an exclusive lock', async () => {
    const { locks } = createSetting();
    await expect(locks.acquire('key', { permits: 3 })).rejects.toMatchObject(
      lockError('LOCK_INVALID', "mode: 'shared'"),
    );
  });
});

describe('the options of a call', () => {
  it.each<[string, AcquireOptions]>([
    ['the least', { ttl: 50, wait: 0, maxHold: 1, mode: 'shared', permits: 1 }],
    ['the most', { ttl: 86_400_000, wait: Infinity, maxHold: Infinity, mode: 'shared', permits: 2 ** 31 - 1 }],
    [
      'undefined',
      { ttl: undefined, wait: undefined, signal: undefined, renew: undefined, maxHold: undefined, mode: undefined },
    ],
    ['inherited ones', Object.create({ ttl: 70 }) as AcquireOptions],
  ])('may be %s', async (_, options) => {
    const { provider, locks } = createSetting({ answers: { tryAcquire: grantAtOnce } });
    await expect(locks.acquire('key', options)).resolves.toMatchObject({ key: 'key' });
    expect(provider.attempts[0]?.claim.ttl).toBe(options.ttl ?? 30_000);
  });

  it('are stronger than the defaults, which hold where nothing is said', async () => {
    const { runtime, provider, locks } = createSetting({ renew: false, maxHold: 5_000, wait: 0 });
    provider.answers.tryAcquire = grantAtOnce;
    const lease = await locks.acquire('a');
    const longer = await locks.acquire('b', { renew: true, maxHold: Infinity });
    expect([lease.remaining, longer.remaining]).toEqual([5_000, 29_698]);
    await runtime.advance(10_000);
    expect(provider.renewals.map((call) => call.claim.key)).toEqual(['b']);
    provider.answers.tryAcquire = (call) => call.busy();
    await expect(locks.acquire('c')).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  });
});

describe('a duration of a call', () => {
  it('is ms, or text with a unit, in each option', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: grantAtOnce } });
    const lease = await locks.acquire('key', { ttl: '2s', maxHold: '1.5s', renew: false, atLeast: '100ms' });
    expect(provider.attempts[0]?.claim.ttl).toBe(2_000);
    await runtime.advance(1_501);
    expect(lease.held).toBe(false);
    provider.answers.tryAcquire = (call) => call.busy(60_000);
    const waiting = watch(locks.acquire('key', { wait: '0.5s' }));
    await runtime.advance(500);
    expect(waiting.error).toMatchObject({ message: expect.stringContaining('was not free within 500 ms') });
    await expect(locks.multiLock(['a', 'b']).acquire({ wait: '5 s' })).rejects.toMatchObject({
      message:
        'Lock options: option "wait" must be a number of ms of at least 0, or Infinity, or text such as "30s", not "5 s".',
    });
  });
});

describe('the label of a call', () => {
  it('is added to that of its Locks, and takes part in no comparison', async () => {
    const locks = createLocks(createMemoryProvider(), { label: 'api-1', closeProvider: true });
    const lease = await locks.acquire('key', { label: 'request-7' });
    expect(lease.owner).toMatch(/^api-1:request-7\/[\w-]+\.\w+$/);
    expect((await locks.inspect('key')).holders[0]?.owner).toBe(lease.owner);
    await expect(locks.acquire('key', { wait: 1, label: 'request-8' })).rejects.toThrow(
      'it is held by api-1:request-7.',
    );
    expect((await locks.acquire('other')).owner).toMatch(/^api-1\//);
    const permit = locks.semaphore('seats', 5);
    const taken = await permit.acquire({ label: 'a' });
    await permit.take(2).withLock({ label: 'b' }, (two) => expect(two.owner).toMatch(/^api-1:b\//));
    await locks.multiLock(['x', 'y']).withLock({ label: 'c' }, (all) => expect(all.owner).toMatch(/^api-1:c\//));
    expect(taken.owner).toMatch(/^api-1:a\//);
    await locks.close();
  });
});
