import { expect, onTestFinished, test } from 'vitest';
import { CombinedProvider } from '../../src/combine/combined-provider.ts';
import {
  LockError,
  createLocks,
  createMemoryProvider,
  createMemoryStore,
  isLockError,
} from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import type { LockProvider, Traits } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { pause } from '../../../core/src/time/pause.ts';
import { claimOf, dead, delay, stores, threeMembers, threeMembersIn, timed, together } from '../support/combined.ts';
import { lockError } from '../../../core/test/support/lock-error.ts';

test.each([
  [[], /an array of at least one provider/],
  ['memory', /an array of at least one provider/],
  [[{}], /member 1 is no provider: it has no tryAcquire/],
])('combine(%j) is refused', (members, message) => {
  expect(() => combine(members as LockProvider[])).toThrow(message);
});

test('a provider that is there twice, and wrong options, are refused by name', () => {
  const provider = createMemoryProvider();
  expect(() => combine([provider, provider])).toThrow(/listed twice/);
  expect(() => combine([provider], { need: 'most' as 'all' })).toThrow(/option "need" must be/);
  expect(() => combine([provider], { memberTimeout: 5_000, timeout: 5_000 })).toThrow(/"timeout" \(5000 ms\) must be/);
});

test('members see the owner with a number, and inspect shows it without', async () => {
  const shared = stores(3);
  const provider = combine(shared.map((store) => createMemoryProvider({ store })));
  onTestFinished(() => provider.close());
  await provider.tryAcquire(claimOf('me/1'));
  const state = await provider.inspect('job');
  expect(state.holders.map(({ owner }) => owner)).toEqual(['me/1']);
  const seen = (state.members ?? []).flatMap(({ holders = [] }) => holders.map(({ owner }) => owner));
  expect(seen).toHaveLength(3);
  for (const owner of seen) expect(owner).toMatch(/^me\/1~[0-9a-z]+$/);
  expect(new Set(seen).size).toBe(3);
});

test('an owner that is too long for the members is refused', async () => {
  const provider = together(3)();
  await expect(provider.tryAcquire(claimOf(`me/${'x'.repeat(198)}`))).rejects.toMatchObject(
    lockError('LOCK_INVALID', 'at most 200'),
  );
  expect(await provider.tryAcquire(claimOf(`me/${'x'.repeat(197)}`))).toMatchObject({ granted: true });
});

test('too few members: the error names each that is out, and a permanent refusal stays permanent', async () => {
  const [first, second, third] = threeMembers();
  const down = new LockError('LOCK_UNAVAILABLE', 'It is down.');
  const refused = new LockError('LOCK_MISCONFIGURED', 'Wrong password.');
  const twoDown = combine([first, dead(second, down), dead(third, refused)]);
  const error: unknown = await twoDown.tryAcquire(claimOf('me/1')).catch((reason: unknown) => reason);
  expect(isLockError(error, 'LOCK_UNAVAILABLE')).toBe(true);
  expect((error as Error).message).toMatch(
    /2 of 3 members .* 2 are needed\. member 2 of 3 \(memory\): It is down\. member 3 of 3 \(memory\): Wrong password\./,
  );
  expect((error as Error).cause).toBeInstanceOf(AggregateError);
  // The vote of the first was given back.
  expect((await first.inspect('job')).holders).toEqual([]);
  const allRefuse = combine([first, dead(second, refused), dead(third, refused)]);
  await expect(allRefuse.tryAcquire(claimOf('me/2'))).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test.each([
  ['the last member is not awaited', 2, 0],
  ['the first member, whose queue others ask, is awaited', 0, 200],
])('where a release reaches one member late: %s, and the next claim is granted', async (_, late, expected) => {
  const runtime = new VirtualRuntime();
  const shared = Array.from({ length: 3 }, () => createMemoryStore({ runtime }));
  const members = shared.map((store) => createMemoryProvider({ store }));
  delay(runtime, members[late]!, 'release', { before: 200 });
  const provider = combine(members, { runtime, memberTimeout: 1_000 });
  const other = combine(
    shared.map((store) => createMemoryProvider({ store })),
    { runtime },
  );
  await provider.tryAcquire(claimOf('me/1'));
  const { answer, took } = await timed(runtime, async () => {
    expect(await provider.release(claimOf('me/1'))).toBe(true);
    return await other.tryAcquire(claimOf('you/1'));
  });
  expect(answer).toMatchObject({ granted: true });
  expect(took).toBe(expected);
});

test.each(['a claim that waits', 'a lease'])('close leaves no vote of %s that comes late', async (what) => {
  const runtime = new VirtualRuntime();
  const members = threeMembersIn(runtime);
  const [first, second, third] = members;
  delay(runtime, third, 'tryAcquire', { before: 40 });
  const waits = what === 'a claim that waits';
  for (const member of waits ? [first, second] : []) await member.tryAcquire(claimOf('early/1'));
  const provider = combine(members, { runtime });
  const { answer } = await timed(runtime, async () => {
    expect(await provider.tryAcquire(claimOf('me/1'), () => {})).toMatchObject({ granted: !waits });
    // The store of a member outlives it.
    third.close = async () => {
      third.release = () => Promise.reject(new LockError('LOCK_CLOSED', 'It is closed.'));
    };
    await provider.close();
    await pause(runtime, 1_000);
    return (await third.inspect('job')).holders;
  });
  expect(answer).toEqual([]);
});

test('10 000 claims that were given up leave nothing in the composite', async () => {
  const provider = together(3)() as CombinedProvider;
  expect(provider).toBeInstanceOf(CombinedProvider);
  const locks = createLocks(provider, { maxWaiters: 20_000 });
  const holder = await locks.acquire('job');
  for (let batch = 0; batch < 20; batch += 1) {
    const abort = new AbortController();
    const waiting = Array.from({ length: 500 }, () => locks.acquire('job', { signal: abort.signal }).catch(() => {}));
    await new Promise((resolve) => setTimeout(resolve, batch % 5));
    abort.abort();
    await Promise.all(waiting);
  }
  await holder.release();
  await locks.close();
  await expect.poll(() => provider.size).toBe(0);
});

test.each<[string, CombineOptions, Partial<Traits>[], Partial<Traits>]>([
  ['the narrowest scope', {}, [{ scope: 'network' }, { scope: 'host' }, {}], { scope: 'process' }],
  ['a ttl where need members have one', {}, [{ expiry: 'session' }, {}, {}], { expiry: 'ttl' }],
  ['a session where too few have a ttl', {}, [{ expiry: 'session' }, { expiry: 'session' }, {}], { expiry: 'session' }],
  [
    'an observed ttl where too few have a clock',
    {},
    [{ expiry: 'observed' }, { expiry: 'observed' }, {}],
    { expiry: 'observed' },
  ],
  [
    'an observed ttl where need members have a ttl',
    {},
    [{ expiry: 'observed' }, { expiry: 'session' }, {}],
    { expiry: 'observed' },
  ],
  ['a ttl where need members have a clock', {}, [{ expiry: 'observed' }, {}, {}], { expiry: 'ttl' }],
  ['the weakest tokens of a majority', {}, [{ fencing: 'strict' }, {}, {}], { fencing: 'clock-bounded' }],
  ['the strongest tokens of all', { need: 'all' }, [{ fencing: 'strict' }, {}, {}], { fencing: 'strict' }],
  ['no tokens on request', { fencing: false }, [{}, {}, {}], { fencing: 'none' }],
  ['fair and wake only where all are', {}, [{ fair: false }, { wake: false }, {}], { fair: false, wake: false }],
])('traits: %s', (_, options, members, expected) => {
  const providers = members.map((traits) => {
    const provider = createMemoryProvider();
    return { ...dead(provider, new Error('It is down.')), traits: { ...provider.traits, ...traits } };
  });
  expect(combine(providers, options).traits).toMatchObject(expected);
});
