import { expect, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { LockError } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { claimOf, dead, delay, threeMembers, threeMembersIn, timed } from '../support/combined.ts';
import { unavailable } from '../../../core/test/support/lock-error.ts';

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
  const told = listen('locks:member');
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
  // The first two are a majority already when this vote comes.
  delay(runtime, third, 'tryAcquire', { before: 10 });
  const provider = combine([frozen, second, third], { memberTimeout: 50, runtime });
  const { answer, took } = await timed(runtime, () => provider.tryAcquire(claimOf('me/1')));
  expect(answer).toMatchObject({ granted: true, token: 2n ** 52n + 102n });
  expect(took).toBeLessThan(100);
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
  await expect(provider.tryAcquire(claimOf('me/1'))).rejects.toMatchObject(
    unavailable(/^Fewer than 2 of 3 members kept their vote until it was confirmed: /),
  );
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
