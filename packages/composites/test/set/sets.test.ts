import { describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryProvider, subscribe } from '../../../core/src/index.ts';
import { namespaced } from '../../src/index.ts';
import type { Grant, LockProvider, SetMessage } from '../../../core/src/index.ts';
import { attempt, claimOf, granted } from './attempt.ts';
import { World } from './fleet.ts';

const refused = (message: RegExp): object => ({
  code: 'LOCK_MISCONFIGURED',
  sent: false,
  message: expect.stringMatching(message) as unknown,
});

describe('beside a process with stores a, b and c is refused, by name, one with', () => {
  test.each<[string, string, RegExp]>([
    [
      'another store at the end',
      'bcd',
      /process .+:\d+ needs 2 of 3 stores, 1 of them no members here, and lacks member 3/,
    ],
    [
      'more stores',
      'abcde',
      /needs 2 of 3 stores, 0 of them no members here, and lacks member 4 of 5 \(memory\), member 5/,
    ],
    ['another order', 'cba', /process .+:\d+ has the members in another order/],
  ])('%s', async (_, stores, message) => {
    const world = new World();
    const [first, second] = [world.start('abc'), world.start(stores)];
    expect(await attempt(world, first)).toMatchObject(granted);
    const claim = claimOf();
    expect(await attempt(world, second, claim)).toMatchObject(refused(message));
    for (let time = 0; time < 30; time += 1) {
      await world.runtime.advance(1_000);
      expect(await attempt(world, second, claim, 0)).toMatchObject(refused(message));
      expect(await attempt(world, first, claimOf(`job ${time}`))).toMatchObject(granted);
    }
  });

  test('another prefix at one member, once that cannot be a member without its data any more', async () => {
    const world = new World();
    const first = world.start('abc');
    const second = world.start([world.member('a'), namespaced(world.member('b'), 'other'), world.member('c')]);
    expect(await attempt(world, first)).toMatchObject(granted);
    expect(await attempt(world, second)).toMatchObject({ code: 'LOCK_UNAVAILABLE', sent: false });
    await world.runtime.advance(25_000);
    expect(await attempt(world, second)).toMatchObject(refused(/1 of them no members here, and lacks member 2 of 3/));
  });

  test('another order under need: "all"', async () => {
    const world = new World();
    expect(await attempt(world, world.start('ab', { need: 'all' }))).toMatchObject(granted);
    const second = world.start('ba', { need: 'all' });
    expect(await attempt(world, second)).toMatchObject(refused(/another order/));
  });

  test('one store by two names', async () => {
    const world = new World();
    const message = /member 1 of 3 \(memory\) and member 3 of 3 \(memory\) are one store/;
    expect(await attempt(world, world.start('aba'))).toMatchObject(refused(message));
  });
});

test('sets whose quorums always meet are used beside each other: each excludes the other', async () => {
  const world = new World();
  const processes = [world.start('abc'), world.start('abcd'), world.start('abc', { need: 'all' })];
  for (const [index, process] of processes.entries()) {
    const claim = claimOf(`job ${index}`);
    expect(await attempt(world, process, claim)).toMatchObject(granted);
    for (const other of processes) {
      if (other !== process) expect(await attempt(world, other, claimOf(claim.key))).toMatchObject({ granted: false });
    }
  }
});

test('a refused process goes on once the others are gone', async () => {
  const world = new World();
  const [first, second] = [world.start('abc'), world.start('bcd')];
  await attempt(world, first);
  expect(await attempt(world, second)).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await first.provider.close();
  await world.runtime.advance(5_000);
  expect(await attempt(world, second, claimOf('another'))).toMatchObject(granted);
  // It is the one in use now.
  expect(await attempt(world, world.start('abc'))).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test('of two that begin at once one at most grants, and one does in the end', async () => {
  for (let time = 0; time < 20; time += 1) {
    const world = new World();
    const processes = [world.start('abc'), world.start('bcd')];
    for (let step = 0; step < 40; step += 1) {
      // Keys of their own: each of them is free.
      const attempts = processes.map((each, index) => attempt(world, each, claimOf(`job ${index} ${step}`), 500));
      const answers = await Promise.all(attempts);
      expect(answers.filter((answer) => (answer as Grant).granted).length).toBeLessThanOrEqual(1);
      if (step > 30) expect(answers.some((answer) => (answer as Grant).granted)).toBe(true);
    }
  }
});

test('locks:set tells once that a process is refused, and when it goes on', async () => {
  const told: SetMessage[] = [];
  onTestFinished(subscribe('locks:set', (message) => void told.push(message)));
  const world = new World();
  const [first, second] = [world.start('abc'), world.start('bcd')];
  await attempt(world, first);
  await attempt(world, second);
  await world.runtime.advance(60_000);
  expect(told).toMatchObject([{ provider: 'combine', event: 'refused', error: { code: 'LOCK_MISCONFIGURED' } }]);
  await first.provider.close();
  await world.runtime.advance(5_000);
  expect(told).toHaveLength(2);
  expect(told[1]).toEqual({ provider: 'combine', event: 'resumed' });
});

test('what a claim of a known set costs is what it cost before, and a minute costs each member few calls', async () => {
  const world = new World();
  const process = world.start('abc');
  const cycle = async (): Promise<number> => {
    const before = world.calls;
    const claim = claimOf();
    await attempt(world, process, claim, 0);
    await process.provider.release(claim);
    await world.runtime.advance(0);
    return world.calls - before;
  };
  await cycle();
  await world.runtime.advance(1_000);
  await cycle();
  // The votes, with one token in a world of one clock, and the release.
  expect(await cycle()).toBe(6);
  const before = world.calls;
  await world.runtime.advance(60_000);
  expect((world.calls - before) / 3).toBeLessThan(30);
});

test('its key is shown by inspect, is in no list, cannot be locked, and is free after close', async () => {
  const world = new World();
  const process = world.start('abc');
  await attempt(world, process);
  const key = 'quorum/members';
  const { holders } = await process.provider.inspect(key);
  expect(holders).toMatchObject([
    { owner: expect.stringMatching(/:\d+!2!\w+\.\w+\.\w+\/[^~]+$/) as unknown, mode: 'shared' },
  ]);
  const listed: string[] = [];
  for await (const each of process.provider.list?.('') ?? []) listed.push(each);
  expect(listed).toEqual(['job']);
  expect(await attempt(world, process, claimOf(key))).toMatchObject({ code: 'LOCK_INVALID' });
  await process.provider.close();
  for (const store of 'abc') {
    expect(await createMemoryProvider({ store: world.store(store) }).inspect(key)).toMatchObject({ holders: [] });
  }
});

test('a member without registers has no id: the set is not checked', async () => {
  const world = new World();
  const without = (store: string): LockProvider => {
    const { register: _, ...member } = world.member(store);
    return member;
  };
  expect(await attempt(world, world.start('abc'.split('').map(without)))).toMatchObject(granted);
  expect(await attempt(world, world.start('cde'.split('').map(without)), claimOf('another'))).toMatchObject(granted);
  expect(await createMemoryProvider({ store: world.store('a') }).inspect('quorum/members')).toMatchObject({
    holders: [],
  });
});
