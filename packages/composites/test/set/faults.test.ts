import { expect, onTestFinished, test } from 'vitest';
import { subscribe } from '../../../core/src/index.ts';
import type { Busy, Claim, Grant, LockProvider } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { claimOf, attempt, granted } from './attempt.ts';
import { World } from './fleet.ts';

const misconfigured = { code: 'LOCK_MISCONFIGURED' };
const unavailable = { code: 'LOCK_UNAVAILABLE', sent: false };

test('a process that starts while a member is empty waits until the others give that its id back', async () => {
  const world = new World();
  const first = world.start('abc');
  await attempt(world, first);
  world.empty('a');
  const second = world.start('abc');
  expect(await attempt(world, second)).toMatchObject(unavailable);
  await world.runtime.advance(15_000);
  expect(await attempt(world, second)).toMatchObject(granted);
  expect(await attempt(world, first, claimOf('another'))).toMatchObject(granted);
  // All know the member by its first id.
  expect(await attempt(world, world.start('abc'), claimOf('one more'))).toMatchObject(granted);
});

test('a member that answers again gets its id at once from a process that has work for it', async () => {
  const world = new World();
  const first = world.start('abc');
  await attempt(world, first);
  await world.runtime.advance(1_000);
  world.refusing.add('a');
  expect(await attempt(world, first, claimOf('while it is away'), 100)).toMatchObject(granted);
  world.empty('a');
  world.refusing.delete('a');
  expect(await attempt(world, first, claimOf('when it is back'))).toMatchObject(granted);
  expect(await attempt(world, world.start('abc'), claimOf('one more'))).toMatchObject(granted);
});

test('a member whose answers come and go is looked at a few times a second at most', async () => {
  const world = new World();
  const process = world.start('abc');
  await attempt(world, process);
  const before = world.registers;
  for (let time = 0; time < 1_000; time += 1) {
    if (time % 2 === 0) world.refusing.add('a');
    else world.refusing.delete('a');
    await attempt(world, process, claimOf(`job ${time}`), 10);
  }
  expect((world.registers - before) / 3).toBeLessThan(60);
});

test('a register that was removed is put back by those that know it', async () => {
  const world = new World();
  await attempt(world, world.start('abc'));
  const member = world.member('b');
  const id = await member.register?.('store-id');
  await member.register?.('store-id', { from: id, to: undefined });
  const second = world.start('abc');
  expect(await attempt(world, second)).toMatchObject(unavailable);
  await world.runtime.advance(15_000);
  expect(await attempt(world, second, claimOf('another'))).toMatchObject(granted);
  expect(await member.register?.('store-id')).toBe(id);
});

test('members that all lost their data, when no process knows them any more, are taken as they are', async () => {
  const world = new World();
  const first = world.start('abc');
  await attempt(world, first);
  await first.provider.close();
  for (const store of 'abc') world.empty(store);
  expect(await attempt(world, world.start('abc'))).toMatchObject(granted);
});

test('a member that does not answer is announced at when it does, and its set is looked for', async () => {
  const world = new World();
  world.silent.add('c');
  const first = world.start('abc');
  expect(await attempt(world, first)).toMatchObject(granted);
  world.silent.delete('c');
  await world.runtime.advance(10_000);
  // It is in the way of a set that has no other store in common.
  expect(await attempt(world, world.start('cde'), claimOf('another'))).toMatchObject(misconfigured);
  expect(await attempt(world, first, claimOf('another'))).toMatchObject(granted);
});

test('with too few members that answer a claim is unavailable, and goes on as soon as they do', async () => {
  const world = new World();
  world.silent.add('a').add('b');
  const process = world.start('abc');
  expect(await attempt(world, process, claimOf(), 6_000)).toMatchObject(unavailable);
  world.silent.clear();
  await world.runtime.advance(10_000);
  expect(await attempt(world, process)).toMatchObject(granted);
});

test('a process that was paused for longer than its presence looks again before its next grant', async () => {
  const world = new World();
  const [first, second] = [world.start('abc'), world.start('bcd')];
  await attempt(world, first);
  first.runtime.stall(60_000);
  await world.runtime.advance(50_000);
  expect(await attempt(world, second)).toMatchObject(granted);
  await world.runtime.advance(9_000);
  expect(await attempt(world, first, claimOf('another'))).toMatchObject({ code: expect.anything() as unknown });
  await world.runtime.advance(20_000);
  expect(await attempt(world, first, claimOf('another'))).toMatchObject(misconfigured);
  expect(await attempt(world, second, claimOf('another'))).toMatchObject(granted);
});

test('a presence lasts longer than each lease that the process asks for', async () => {
  const world = new World();
  const first = world.start('abc');
  await attempt(world, first);
  // The process goes on with a long lease, and dies.
  expect(await attempt(world, first, claimOf('another', 120_000))).toMatchObject(granted);
  first.runtime.crash();
  await world.runtime.advance(119_000);
  expect(await attempt(world, world.start('bcd'), claimOf('another'))).toMatchObject(misconfigured);
  await world.runtime.advance(80_000);
  expect(await attempt(world, world.start('bcd'), claimOf('another'))).toMatchObject(granted);
});

test('of two sets that could not see each other, the later one renews nothing any more', async () => {
  const told = new Set<string>();
  onTestFinished(subscribe('locks:set', ({ event }) => void told.add(event)));
  const world = new World();
  // Stores b and c are the common ones.
  const [first, second] = [world.start('abc'), world.start('bcd')];
  world.silent.add('c');
  const held = claimOf('job', 60_000);
  expect(await attempt(world, first, held)).toMatchObject(granted);
  world.silent.delete('c');
  world.silent.add('b');
  const other = claimOf('job', 60_000);
  const answer = await attempt(world, second, other);
  expect(answer).toMatchObject(granted);
  world.silent.delete('b');
  await world.runtime.advance(10_000);
  const renewed = [watch(first.provider.renew(held)), watch(second.provider.renew(other))];
  await world.runtime.advance(1_000);
  expect(renewed.filter(({ state }) => state === 'fulfilled')).toHaveLength(1);
  expect(renewed.find(({ state }) => state === 'rejected')?.error).toMatchObject(misconfigured);
  expect([...told]).toEqual(['refused']);
});

test('a grant that comes after the refusal of its process is given back', async () => {
  const world = new World();
  const first = world.start('abc');
  world.silent.add('c');
  expect(await attempt(world, first, claimOf('job', 60_000))).toMatchObject(granted);
  // It is in the way, and finds no other in its own way first.
  first.runtime.crash();
  world.silent.delete('c');
  world.silent.add('b');
  let reply: () => void = () => {};
  const replies = new Promise<void>((resolve) => (reply = resolve));
  const members = ['b', 'c', 'd'].map((name): LockProvider => {
    const member = world.member(name);
    const slow = async (claim: Claim, wake?: () => void): Promise<Grant | Busy> => {
      const answer = await member.tryAcquire(claim, wake);
      if (claim.key === 'late') await replies;
      return answer;
    };
    return { ...member, tryAcquire: slow };
  });
  const second = world.start(members, { timeout: 60_000 });
  expect(await attempt(world, second, claimOf('another', 60_000))).toMatchObject(granted);
  const late = watch(second.provider.tryAcquire(claimOf('late', 60_000)), world.runtime);
  await world.runtime.advance(1_000);
  world.silent.delete('b');
  await world.runtime.advance(10_000);
  expect(late.state).toBe('open');
  reply();
  await world.runtime.advance(1_000);
  expect(late.error).toMatchObject(misconfigured);
  for (const store of 'bcd') expect(await world.member(store).inspect('late')).toMatchObject({ holders: [] });
});

test('a claim that is released while the set is looked up asks for nothing', async () => {
  const world = new World();
  world.silent.add('c');
  const { provider } = world.start('abc');
  const claim: Claim = claimOf();
  const answer = watch(provider.tryAcquire(claim), world.runtime);
  await world.runtime.advance(50);
  expect(answer.state).toBe('open');
  const released = watch(provider.release(claim), world.runtime);
  await world.runtime.advance(1_000);
  expect(answer.value).toEqual({ granted: false });
  expect(released.value).toBe(false);
  for (const store of 'ab') expect(await world.member(store).inspect('job')).toMatchObject({ holders: [], waiters: 0 });
});

test('a claim that waits for the set hears that its provider is closed', async () => {
  const world = new World();
  world.silent.add('a').add('b');
  const { provider } = world.start('abc');
  const answer = watch(provider.tryAcquire(claimOf()), world.runtime);
  const closed = watch(provider.close(), world.runtime);
  await world.runtime.advance(1_000);
  expect(answer.error).toMatchObject({ code: 'LOCK_CLOSED' });
  expect(closed.state).toBe('fulfilled');
});
