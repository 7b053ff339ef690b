import { expect, onTestFinished, test } from 'vitest';
import { CombinedProvider } from '../../src/combine/combined-provider.ts';
import {
  LockError,
  createLocks,
  createMemoryProvider,
  createMemoryStore,
  isLockError,
  subscribe,
} from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, LockProvider, MemberMessage, ReleaseMessage, Traits } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { createDeferred } from '../../../core/test/support/deferred.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

const stores = (count: number) => Array.from({ length: count }, () => createMemoryStore());

function threeMembers(): [LockProvider, LockProvider, LockProvider] {
  return [createMemoryProvider(), createMemoryProvider(), createMemoryProvider()];
}

/** Three members in the virtual time of `runtime`. */
function threeMembersIn(runtime: VirtualRuntime): [LockProvider, LockProvider, LockProvider] {
  const make = (): LockProvider => createMemoryProvider({ store: createMemoryStore({ runtime }) });
  return [make(), make(), make()];
}

/** What `call` came to, and how many ms of virtual time it took. */
async function timed<T>(runtime: VirtualRuntime, call: () => Promise<T>): Promise<{ answer: T; took: number }> {
  const start = runtime.time;
  const watched = watch(call(), runtime);
  for (let step = 0; step < 10_000 && watched.state === 'open'; step += 1) await runtime.advance(1);
  if (watched.state !== 'fulfilled') throw watched.error;
  return { answer: watched.value as T, took: (watched.at ?? Infinity) - start };
}

function claimOf(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'job', owner, ttl: 10_000, mode: 'exclusive', ...more };
}

/** Composites of the same stores, which end with the test. */
function together(count: number, options: CombineOptions = {}): () => LockProvider {
  const shared = stores(count);
  return () => {
    const provider = combine(
      shared.map((store) => createMemoryProvider({ store })),
      options,
    );
    onTestFinished(() => provider.close());
    return provider;
  };
}

/** `provider`, whose calls all reject. */
function dead(provider: LockProvider, error: Error): LockProvider {
  const refuse = async (): Promise<never> => {
    throw error;
  };
  return {
    name: provider.name,
    traits: provider.traits,
    tryAcquire: refuse,
    renew: refuse,
    release: refuse,
    inspect: refuse,
    close: () => provider.close(),
  };
}

test.each([
  [[], /an array of one provider at least/],
  ['memory', /an array of one provider at least/],
  [[{}], /member 1 is no provider: it has no tryAcquire/],
])('combine(%j) is refused', (members, message) => {
  expect(() => combine(members as LockProvider[])).toThrow(message);
});

test('a provider that is there twice, and wrong options, are refused by name', () => {
  const provider = createMemoryProvider();
  expect(() => combine([provider, provider])).toThrow(/there twice/);
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
  await expect(provider.tryAcquire(claimOf(`me/${'x'.repeat(198)}`))).rejects.toMatchObject({
    code: 'LOCK_INVALID',
    message: expect.stringContaining('at most 200') as unknown,
  });
  expect(await provider.tryAcquire(claimOf(`me/${'x'.repeat(197)}`))).toMatchObject({ granted: true });
});

test('a majority is exclusive only; all members share', async () => {
  const shared = claimOf('me/1', { mode: 'shared' });
  await expect(together(3)().tryAcquire(shared)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  const provider = together(3, { need: 'all' })();
  expect(await provider.tryAcquire(shared)).toMatchObject({ granted: true });
  expect(await provider.tryAcquire(claimOf('me/2', { mode: 'shared' }))).toMatchObject({ granted: true });
  expect(await provider.tryAcquire(claimOf('me/3'))).toMatchObject({ granted: false });
});

test('another process renews and releases a lease by the owner that it sees', async () => {
  const make = together(3);
  const [one, other] = [make(), make()];
  const grant = await one.tryAcquire(claimOf('me/1'));
  expect(await other.renew(claimOf('me/1'))).toMatchObject({});
  expect(await one.inspect('job')).toMatchObject({
    holders: [{ owner: 'me/1', token: (grant as { token: bigint }).token }],
  });
  expect(await other.release(claimOf('me/1'))).toBe(true);
  expect(await one.renew(claimOf('me/1'))).toBe(false);
});

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
      const release = member.release.bind(member);
      member.release = async (claim) => {
        if (isLate(index)) await new Promise<void>((resolve) => void runtime.setTimer(resolve, 50, false));
        return await release(claim);
      };
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

test('tokens increase through any majority', async () => {
  const shared = stores(3);
  const over = (...indexes: number[]): LockProvider => {
    const refusal = new LockError('LOCK_UNAVAILABLE', 'It is down.');
    const members = shared.map((store, index) => {
      const provider = createMemoryProvider({ store });
      return indexes.includes(index) ? provider : dead(provider, refusal);
    });
    const provider = combine(members, { memberTimeout: 100, timeout: 600 });
    onTestFinished(() => provider.close());
    return provider;
  };
  // The first store is far ahead: a claim had a high floor there.
  const ahead = createMemoryProvider({ store: shared[0] });
  await ahead.tryAcquire(claimOf('early/1', { floor: 2n ** 52n }));
  await ahead.release(claimOf('early/1'));
  const tokens: bigint[] = [];
  for (const [round, members] of [
    [0, 1],
    [1, 2],
    [0, 2],
    [1, 2],
  ].entries()) {
    const provider = over(...members);
    const grant = await provider.tryAcquire(claimOf(`me/${round}`));
    if (!grant.granted) throw new Error('not granted');
    tokens.push(grant.token);
    await provider.release(claimOf(`me/${round}`));
  }
  expect(tokens).toEqual(tokens.toSorted((left, right) => (left < right ? -1 : 1)));
  expect(new Set(tokens).size).toBe(4);
  expect(tokens[0]).toBeGreaterThan(2n ** 52n);
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
  ['the first member, whose line others ask, is awaited', 0, 200],
])('where a release reaches one member late: %s, and the next claim is granted', async (_, late, expected) => {
  const runtime = new VirtualRuntime();
  const shared = Array.from({ length: 3 }, () => createMemoryStore({ runtime }));
  const members = shared.map((store) => createMemoryProvider({ store }));
  const slow = members[late] as LockProvider;
  const release = slow.release.bind(slow);
  slow.release = async (claim) => {
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 200, false));
    return await release(claim);
  };
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

test('the release of a hold whose votes are just ending answers false, though a member is silent', async () => {
  const runtime = new VirtualRuntime();
  const [first, second, third] = threeMembersIn(runtime);
  const { tryAcquire } = second;
  second.tryAcquire = async (claim) => {
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 10, false));
    return await tryAcquire.call(second, claim);
  };
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
  for (const member of members.slice(1)) {
    const release = member.release.bind(member);
    member.release = async (claim) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return await release(claim);
    };
  }
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
  const pause = (delay: number): Promise<void> =>
    new Promise((resolve) => void runtime.setTimer(resolve, delay, false));
  // Its token is the higher one, so the claim is granted once the first member knows it.
  await second.tryAcquire(claimOf('early/1', { floor: 2n ** 52n }));
  await second.release(claimOf('early/1'));
  const [{ tryAcquire }, { renew }] = [first, second];
  first.tryAcquire = async (claim, wake) => {
    await pause(30);
    return await tryAcquire.call(first, claim, wake);
  };
  second.renew = async (claim, token) => {
    const renewed = await renew.call(second, claim, token);
    await pause(50);
    return renewed;
  };
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
  const { tryAcquire } = second;
  second.tryAcquire = async (claim) => {
    const granted = await tryAcquire.call(second, claim);
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 200, false));
    return granted;
  };
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

test('a member that is silent is suspect, told of once, and costs one member timeout once', async () => {
  const runtime = new VirtualRuntime();
  const [first, second, third] = threeMembersIn(runtime);
  const silent = (): Promise<never> => new Promise<never>(() => {});
  const frozen = {
    ...dead(first, new Error('It is down.')),
    tryAcquire: silent,
    renew: silent,
    release: silent,
    inspect: silent,
  };
  const told: MemberMessage[] = [];
  const subscription = subscribe('locks:member', (message) => told.push(message));
  onTestFinished(() => subscription());
  const provider = combine([frozen, second, third], { memberTimeout: 80, runtime });
  const durations: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { answer, took } = await timed(runtime, async () => {
      const granted = await provider.tryAcquire(claimOf(`me/${round}`));
      await provider.release(claimOf(`me/${round}`));
      return granted;
    });
    expect(answer).toMatchObject({ granted: true });
    durations.push(took);
  }
  expect(durations[0]).toBeGreaterThanOrEqual(80);
  expect(durations[0]).toBeLessThan(100);
  expect(Math.max(...durations.slice(1))).toBeLessThan(10);
  expect(told).toMatchObject([{ provider: 'combine', member: 'member 1 of 3 (memory)', index: 0, suspect: true }]);
});

test('a call that is rejected leaves no call of a member under way that could be granted later', async () => {
  const runtime = new VirtualRuntime();
  let underWay = 0;
  const members = threeMembersIn(runtime).map((member) => {
    const silent = async (): Promise<never> => {
      underWay += 1;
      // The default of a provider's timeout, and what its timer takes.
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 5_050, false));
      underWay -= 1;
      throw new LockError('LOCK_UNAVAILABLE', 'No answer.');
    };
    return { ...dead(member, new Error('It is down.')), tryAcquire: silent, renew: silent };
  });
  const provider = combine(members, { runtime });
  const { answer } = await timed(runtime, async () => {
    await expect(provider.tryAcquire(claimOf('me/1'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    return underWay;
  });
  expect(answer).toBe(0);
});

test('a member that freezes before it knows the token is not waited for, where another has a vote', async () => {
  const runtime = new VirtualRuntime();
  const [first, second, third] = threeMembersIn(runtime);
  // Each member gives a higher token than the one before.
  for (const [member, floor] of [[second, 2n ** 52n] as const, [third, 2n ** 52n + 100n] as const]) {
    await member.tryAcquire(claimOf('early/1', { floor }));
    await member.release(claimOf('early/1'));
  }
  const frozen = dead(first, new Error('It is down.'));
  frozen.tryAcquire = (claim) => first.tryAcquire(claim);
  frozen.renew = () => new Promise<never>(() => {});
  const { tryAcquire } = third;
  // The first two are a majority already when this vote comes.
  third.tryAcquire = async (claim) => {
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 10, false));
    return await tryAcquire.call(third, claim);
  };
  const provider = combine([frozen, second, third], { memberTimeout: 50, runtime });
  const { answer, took } = await timed(runtime, () => provider.tryAcquire(claimOf('me/1')));
  expect(answer).toMatchObject({ granted: true, token: 2n ** 52n + 102n });
  expect(took).toBeLessThan(100);
});

test('diagnostics count one release for each lease, however many members there are', async () => {
  const released: ReleaseMessage[] = [];
  const subscription = subscribe('locks:release', (message) => released.push(message));
  onTestFinished(() => subscription());
  const locks = createLocks(together(5)());
  await (await locks.acquire('job')).release();
  await locks.close();
  expect(released).toMatchObject([{ provider: 'combine', key: 'job', freed: true }]);
});

test('votes that are lost before their token is confirmed are told as such', async () => {
  const members = threeMembers().map((member) => ({
    ...dead(member, new Error('not used')),
    renew: async () => false as const,
  }));
  for (const [index, member] of members.entries()) {
    const vote = { granted: true, token: BigInt(index) } as const;
    member.tryAcquire = async () => vote;
    member.release = async () => true;
  }
  const provider = combine(members);
  await expect(provider.tryAcquire(claimOf('me/1'))).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(/^Fewer than 2 of 3 members kept their vote until it was confirmed: /) as string,
  });
  const [, , third] = members;
  Object.assign(third as object, {
    tryAcquire: async () => {
      throw new LockError('LOCK_UNAVAILABLE', 'It is down.');
    },
  });
  await expect(provider.tryAcquire(claimOf('me/2'))).rejects.toMatchObject({
    message: expect.stringMatching(
      /^1 of 3 members gave no usable answer, (?:1 has|2 have) no vote for this claim, and 2 are needed\. member 3 of 3 \(memory\): It is down\./,
    ) as string,
  });
});

test('close costs one member timeout where a member refuses, or is late, and goes on behind', async () => {
  const down = new LockError('LOCK_UNAVAILABLE', 'It is down.');
  let closed = false;
  const closing = async (release: LockProvider['release']): Promise<number> => {
    const [first, second, third] = threeMembers();
    const member: LockProvider = { ...dead(third, down), tryAcquire: (claim) => third.tryAcquire(claim), release };
    member.renew = (claim, token) => third.renew(claim, token);
    closed = false;
    // The connection is there until it has taken the vote back.
    member.close = async () => {
      closed = true;
    };
    const provider = combine([first, second, member], { memberTimeout: 100, timeout: 3_000 });
    const claim = claimOf('me/1');
    await provider.tryAcquire(claim);
    expect(await provider.release(claim)).toBe(true);
    const before = performance.now();
    await provider.close();
    return performance.now() - before;
  };
  expect(await closing(async () => await Promise.reject(down))).toBeLessThan(500);
  let released = false;
  const took = await closing(async () => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    released = true;
    return true;
  });
  expect(took).toBeLessThan(500);
  await expect.poll(() => [released, closed], { timeout: 2_000 }).toEqual([true, true]);
});

test.each(['a claim that waits', 'a lease'])('close leaves no vote of %s that comes late', async (what) => {
  const runtime = new VirtualRuntime();
  const members = threeMembersIn(runtime);
  const [first, second, third] = members;
  const { tryAcquire } = third;
  third.tryAcquire = async (claim, wake) => {
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 40, false));
    return await tryAcquire.call(third, claim, wake);
  };
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
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 1_000, false));
    return (await third.inspect('job')).holders;
  });
  expect(answer).toEqual([]);
});

test('a late vote that cannot be given the token is not asked again without end', async () => {
  const [first, second, third] = threeMembers();
  // Its token is lower than that of the others, so it must be raised.
  for (const ahead of [second, third]) {
    await ahead.tryAcquire(claimOf('early/1', { floor: 2n ** 52n }));
    await ahead.release(claimOf('early/1'));
  }
  let renewals = 0;
  const closed = { ...dead(first, new LockError('LOCK_CLOSED', 'It is closed.')) };
  closed.tryAcquire = (claim) => first.tryAcquire(claim);
  const { renew } = closed;
  closed.renew = (claim) => {
    renewals += 1;
    return renew(claim);
  };
  expect(await combine([closed, second, third]).tryAcquire(claimOf('me/1'))).toMatchObject({ granted: true });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(renewals).toBe(1);
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
