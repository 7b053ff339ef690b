import { expect, onTestFinished, test } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, LockProvider } from '../../../core/src/index.ts';
import { pause } from '../../../core/src/time/pause.ts';
import { delay } from '../support/combined.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

const claim: Claim = { key: 'job', owner: 'me', ttl: 10_000, mode: 'exclusive' };
const never = new Promise<never>(() => {});

type Members = [LockProvider, LockProvider, LockProvider];

/** Three members, and a process that looks `claim` up. Those in `voters` have a vote for it. */
async function foundLease(voters: readonly number[]) {
  const runtime = new VirtualRuntime();
  const stores = [0, 1, 2].map(() => createMemoryStore({ runtime }));
  const open = (): Members => stores.map((store) => createMemoryProvider({ store })) as Members;
  // Calls of the process go through `asked`, those of others through `members`.
  const [members, asked] = [open(), open()];
  for (const voter of voters) await members[voter]?.tryAcquire(voteAt(voter));
  const process = combine(asked, { runtime, memberTimeout: 100 });
  onTestFinished(() => process.close());
  return { runtime, members, asked, process };
}

const voteAt = (member: number): Claim => ({ ...claim, owner: `me~${member + 1}` });

test('a renewal waits for a slow member, where its vote decides', async () => {
  const { runtime, asked, process } = await foundLease([0, 1]);
  delay(runtime, asked[0], 'inspect', { before: 400 });
  const renewed = watch(process.renew(claim));
  await runtime.advance(399);
  expect(renewed.state).toBe('open');
  await runtime.advance(20);
  expect(renewed.value).toMatchObject({ validity: expect.any(Number) as unknown });
});

test.each([
  ['does not answer', () => never],
  ['rejects', () => Promise.reject(new Error('It is down.'))],
])('a renewal does not say that a lease is lost where a member that may have a vote %s', async (_, inspect) => {
  const { runtime, asked, process } = await foundLease([0, 1]);
  asked[0].inspect = inspect;
  const renewed = watch(process.renew(claim));
  await runtime.advance(10_000);
  expect(renewed.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'job' });
});

test('a renewal says that a lease is lost where a silent member cannot change it', async () => {
  const { runtime, asked, process } = await foundLease([]);
  asked[0].inspect = () => never;
  const renewed = watch(process.renew(claim));
  await runtime.advance(150);
  expect(renewed.value).toBe(false);
});

test('a renewal revives no lease that another process is releasing', async () => {
  const { runtime, members, asked, process } = await foundLease([1, 2]);
  const [, second, third] = asked;
  // It is freed at one member between the look and the renewal, and at the other one later.
  const renew = second.renew.bind(second);
  second.renew = async (each, token) => {
    await members[1].release(voteAt(1));
    return await renew(each, token);
  };
  third.renew = () => Promise.reject(new Error('It is down.'));
  for (let call = 0; call < 3; call += 1) {
    const renewed = watch(process.renew(claim));
    await runtime.advance(100);
    expect(renewed.state).not.toBe('open');
    expect(renewed.value ?? false).toBe(false);
  }
  expect((await members[0].inspect('job')).holders).toEqual([]);
  expect((await members[1].inspect('job')).holders).toEqual([]);
});

test('a renewal is not refused by votes that got the token of the lease meanwhile', async () => {
  const { members, asked, process } = await foundLease([0, 1]);
  const token = (await members[1].inspect('job')).holders[0]?.token ?? 0n;
  const [first] = asked;
  const renew = first.renew.bind(first);
  first.renew = async (each, told) => {
    // The process that took it had not told it yet.
    await members[0].renew(voteAt(0), token + 5n);
    return await renew(each, told);
  };
  expect(await process.renew(claim)).not.toBe(false);
});

test('a renewal with the token of the lease is refused where the votes have a higher one', async () => {
  const { members, process } = await foundLease([0, 1, 2]);
  const { holders } = await members[0].inspect('job');
  expect(await process.renew(claim, (holders[0]?.token ?? 0n) - 1n)).toBe(false);
});

test('a release is not told to have freed the lease while it may be freed elsewhere', async () => {
  const { runtime, members, asked, process } = await foundLease([0, 1, 2]);
  const [first, , third] = asked;
  first.inspect = () => never;
  const release = third.release.bind(third);
  third.release = async (each) => {
    // Another process has freed the first member's and the third's.
    await members[0].release(voteAt(0));
    await members[2].release(voteAt(2));
    await pause(runtime, 300);
    return await release(each);
  };
  const released = watch(process.release(claim));
  await runtime.advance(10_000);
  expect(released.state).not.toBe('open');
  expect(released.value ?? false).toBe(false);
});

test.each([
  ['had a vote', [0, 1, 2], true],
  ['had none', [0, 2], false],
])('a release by another process is answered once a slow member has told that it %s', async (_, voters, freed) => {
  const { runtime, members, asked, process } = await foundLease(voters);
  const [, slow, third] = asked;
  delay(runtime, slow, 'inspect', { before: 150 });
  const release = third.release.bind(third);
  third.release = async (each) => {
    // The process that took the lease releases it, too.
    await members[2].release(voteAt(2));
    return await release(each);
  };
  const released = watch(process.release(claim));
  await runtime.advance(320);
  expect(released.value).toBe(freed);
});
