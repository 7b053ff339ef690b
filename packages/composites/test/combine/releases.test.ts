import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import {
  LockError,
  createLocks,
  createMemoryProvider,
  createMemoryStore,
  isLockError,
} from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import { createDeferred } from '../../../core/src/time/deferred.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { systemRuntime } from '../../../core/src/time/runtime.ts';
import { claimOf, dead, delay, stores, threeMembers, threeMembersIn, timed, together } from '../support/combined.ts';

test('what is left of a lease that another process has released is no hold', async () => {
  const shared = stores(5);
  const open = () => combine(shared.map((store) => createMemoryProvider({ store })));
  const [one, other] = [open(), open()];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const claim = claimOf('me/1');
  await one.tryAcquire(claim);
  const members = shared.map((store) => createMemoryProvider({ store }));
  await expect.poll(async () => (await members[4]?.inspect('job'))?.holders.length).toBe(1);
  // A release that is under way elsewhere has reached three of five.
  for (const member of members.slice(0, 3)) {
    const [holder] = (await member.inspect('job')).holders;
    expect(await member.release(claimOf(holder?.owner ?? ''))).toBe(true);
  }
  expect(await other.renew(claim)).toBe(false);
  expect(await other.release(claim)).toBe(false);
});

test('a vote that comes after a release by force goes back when what the lost lease promised is over', async () => {
  const runtime = new VirtualRuntime();
  const [first, second, third] = threeMembersIn(runtime);
  const connection = createDeferred();
  const tryAcquire = third.tryAcquire.bind(third);
  third.tryAcquire = async (claim) => {
    if (claim.key === 'job') await connection.promise;
    return await tryAcquire(claim);
  };
  const locks = createLocks(combine([first, second, third], { runtime }), { ttl: 10_000, runtime });
  const lease = await locks.acquire('job');
  const other = combine([first, second, third], { runtime });
  expect(await other.release(claimOf(lease.owner))).toBe(true);
  connection.resolve();
  await runtime.advance(1);
  expect((await third.inspect('job')).holders).toHaveLength(1);
  const { remaining } = lease;
  await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  await runtime.advance(remaining);
  expect((await third.inspect('job')).holders).toHaveLength(1);
  // A lease ends 1 % before its votes.
  await runtime.advance(200);
  expect((await third.inspect('job')).holders).toEqual([]);
});

test.each<[count: number, need: CombineOptions['need']]>([
  [4, 'majority'],
  [2, 'all'],
])('of two processes that each free half of a lease, one is told: of %i members, need %s', async (count, need) => {
  const runtime = new VirtualRuntime();
  const shared = Array.from({ length: count }, () => createMemoryStore({ runtime }));
  // The releases of one process reach the first half first, those of the other the second half.
  const open = (isLate: (index: number) => boolean): LockProvider => {
    const members = shared.map((store, index) => {
      const member = createMemoryProvider({ store });
      if (isLate(index)) delay(runtime, member, 'release', { before: 50 });
      return member;
    });
    return combine(members, { runtime, need });
  };
  const one = open((index) => index >= count / 2);
  const other = open((index) => index < count / 2);
  await one.tryAcquire(claimOf('me/1'));
  // It has seen the votes of all members before the first is freed.
  expect(await other.renew(claimOf('me/1'))).not.toBe(false);
  const { answer } = await timed(runtime, () =>
    Promise.all([one.release(claimOf('me/1')), other.release(claimOf('me/1'))]),
  );
  expect(answer).toEqual([true, false]);
  expect(await other.tryAcquire(claimOf('you/1'))).toMatchObject({ granted: true });
});

test('the release of a hold whose votes are just ending answers false, though a member is silent', async () => {
  const runtime = new VirtualRuntime();
  const [first, second, third] = threeMembersIn(runtime);
  delay(runtime, second, 'tryAcquire', { before: 10 });
  const silent = (): Promise<never> => new Promise<never>(() => {});
  const frozen: LockProvider = { ...dead(third, new Error('It is down.')), tryAcquire: silent, release: silent };
  const provider = combine([first, second, frozen], { memberTimeout: 50, timeout: 2_000, fencing: false, runtime });
  expect((await timed(runtime, () => provider.tryAcquire(claimOf('me/1', { ttl: 1_000 })))).answer).toMatchObject({
    granted: true,
  });
  while ((await first.inspect('job')).holders.length > 0) await runtime.advance(1);
  expect((await second.inspect('job')).holders).toHaveLength(1);
  const { answer, took } = await timed(runtime, () => provider.release(claimOf('me/1')));
  expect(answer).toBe(false);
  expect(took).toBeLessThan(100);
});

test('a release waits for late members where the others are too few', async () => {
  const members = threeMembers();
  for (const member of members.slice(1)) delay(systemRuntime, member, 'release', { before: 150 });
  const provider = combine(members, { memberTimeout: 50, timeout: 2_000 });
  onTestFinished(() => provider.close());
  expect(await provider.tryAcquire(claimOf('me/1'))).toMatchObject({ granted: true });
  // So the first member cannot say that all who answered have freed it.
  const [vote] = (await members[0].inspect('job')).holders;
  await members[0].release(claimOf(vote?.owner ?? ''));
  expect(await provider.release(claimOf('me/1'))).toBe(true);
});

test('a hold is shared at all members, also where a call of before was under way', async () => {
  const runtime = new VirtualRuntime();
  const [first, second] = threeMembersIn(runtime);
  // Its token is the higher one, so the claim is granted once the first member knows it.
  await second.tryAcquire(claimOf('early/1', { floor: 2n ** 52n }));
  await second.release(claimOf('early/1'));
  delay(runtime, first, 'tryAcquire', { before: 30 });
  delay(runtime, second, 'renew', { after: 50 });
  const provider = combine([first, second], { need: 'all', runtime });
  const { answer } = await timed(runtime, async () => {
    const granted = await provider.tryAcquire(claimOf('me/1'));
    const shared = await provider.tryAcquire(claimOf('me/1', { mode: 'shared' }));
    return { granted, shared, states: await Promise.all([first.inspect('job'), second.inspect('job')]) };
  });
  expect(answer).toMatchObject({ granted: { granted: true }, shared: { granted: true } });
  expect(answer.states.map(({ holders }) => holders[0]?.mode)).toEqual(['shared', 'shared']);
});

test('a release settles when so many members are without the claim that another can be granted', async () => {
  const runtime = new VirtualRuntime();
  const [first, second, third] = threeMembersIn(runtime);
  delay(runtime, second, 'tryAcquire', { after: 200 });
  const frozen = { ...dead(third, new Error('It is down.')), tryAcquire: () => new Promise<never>(() => {}) };
  const provider = combine([first, second, frozen], { memberTimeout: 50, runtime });
  await first.tryAcquire(claimOf('early/1'));
  const { answer, took } = await timed(runtime, async () => {
    expect(await provider.tryAcquire(claimOf('me/1'), () => {})).toMatchObject({ granted: false });
    expect(await provider.release(claimOf('me/1'))).toBe(false);
    return (await second.inspect('job')).holders;
  });
  expect(answer).toEqual([]);
  // The frozen member is not waited for.
  expect(took).toBeLessThan(300);
});

test('a release that too few members answer is unknown, and names those that did not', async () => {
  const [first, ...others] = threeMembers();
  const down = new LockError('LOCK_UNAVAILABLE', 'It is down.');
  const members = others.map((member) => ({
    ...dead(member, down),
    tryAcquire: member.tryAcquire.bind(member),
    renew: member.renew.bind(member),
  }));
  const provider = combine([first, ...members], { memberTimeout: 100, timeout: 600 });
  onTestFinished(() => provider.close());
  expect(await provider.tryAcquire(claimOf('me/1'))).toMatchObject({ granted: true });
  const [vote] = (await first.inspect('job')).holders;
  await first.release(claimOf(vote?.owner ?? ''));
  const error: unknown = await provider.release(claimOf('me/1')).catch((reason: unknown) => reason);
  expect(isLockError(error, 'LOCK_UNAVAILABLE')).toBe(true);
  expect((error as Error).message).toBe(
    '2 of 3 members gave no usable answer, and 2 are needed. member 2 of 3 (memory): It is down. member 3 of 3 (memory): It is down.',
  );
});

test('diagnostics count one release for each lease, however many members there are', async () => {
  const released = listen('locks:release');
  const locks = createLocks(together(5)());
  await (await locks.acquire('job')).release();
  await locks.close();
  expect(released).toMatchObject([{ provider: 'combine', key: 'job', freed: true }]);
});
