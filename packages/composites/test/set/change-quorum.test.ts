import { describe, expect, test } from 'vitest';
import { changeQuorum } from '../../src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { attempt, claimOf, granted } from './attempt.ts';
import { World } from './fleet.ts';
import { misconfigured, unavailable } from '../../../core/test/support/lock-error.ts';

/** What a change to these members comes to. */
async function change(world: World, names: string, force = false): Promise<unknown> {
  const answer = changeQuorum(world.members(names), { force }).catch((error: unknown) => error);
  await world.runtime.advance(6_000);
  return await answer;
}

async function quorumOf(names: string): Promise<World> {
  const world = new World();
  expect(await change(world, names)).toEqual({ done: true, left: [] });
  return world;
}

let processes = 0;

/** Whether a new process with these members is granted a key. */
async function starts(world: World, names: string): Promise<boolean> {
  const process = world.start(names);
  processes += 1;
  const answer = (await attempt(world, process, claimOf(`of process ${processes}`), 0)) as { granted?: boolean };
  await process.provider.close();
  return answer.granted === true;
}

test('a change allows the members before and after, and the next one those before it no more', async () => {
  const world = await quorumOf('abc');
  expect(await starts(world, 'abcd')).toBe(false);
  expect(await change(world, 'abcd')).toEqual({ done: true, left: [] });
  expect([await starts(world, 'abc'), await starts(world, 'abcd')]).toEqual([true, true]);
  expect(await change(world, 'bcd')).toEqual({ done: true, left: [] });
  expect([await starts(world, 'abc'), await starts(world, 'abcd'), await starts(world, 'bcd')]).toEqual([
    false,
    true,
    true,
  ]);
  expect(await change(world, 'bcd')).toEqual({ done: true, left: [] });
});

test('a refused process is granted keys after the command, without a restart, and reads once a second', async () => {
  const world = await quorumOf('abc');
  const process = world.start('abcd');
  const before = world.registers;
  for (let time = 0; time < 50; time += 1) {
    expect(await attempt(world, process, claimOf('early'), 100)).toMatchObject(
      misconfigured(/Run "locks quorum change"/),
    );
  }
  expect((world.registers - before) / 4).toBeLessThanOrEqual(5);
  await change(world, 'abcd');
  expect(await attempt(world, process)).toMatchObject(granted);
});

describe('refused is a change', () => {
  test.each([
    ['abc', 'abd', /a store in common/],
    ['a', 'abc', /a store in common/],
    ['abc', 'abcde', /a store in common/],
    ['abcd', 'bc', /a majority of the members before must stay/],
    ['ab', 'a', /a majority of the members before must stay/],
    ['abc', 'dabc', undefined],
    ['ab', 'ba', /another order/],
    ['abc', 'acbd', /another order/],
    ['abc', 'abcb', /member 2 of 4 \(memory\) and member 4 of 4 \(memory\) are one store/],
  ])('from %s to %s', async (from, to, message) => {
    const world = await quorumOf(from);
    const answer = await change(world, to);
    expect(answer).toMatchObject(message === undefined ? { done: true } : misconfigured(message));
    expect(await starts(world, from)).toBe(true);
  });
});

test('a slot of once that one of three stores has is in the way from two to three, and would be taken again', async () => {
  const world = await quorumOf('a');
  const slot = claimOf('once of monday', 60_000);
  const first = world.start('a');
  expect(await attempt(world, first, slot)).toMatchObject(granted);
  expect(await change(world, 'abc')).toMatchObject(misconfigured(/Add or remove one store/));
  expect(await change(world, 'ab')).toMatchObject({ done: true });
  expect(await change(world, 'abc')).toEqual({
    done: false,
    left: [{ key: slot.key, owner: slot.owner, remaining: expect.any(Number) as number }],
  });
  expect(await starts(world, 'abc')).toBe(false);
  await change(world, 'abc', true);
  world.silent.add('a');
  const third = world.start('abc');
  expect(await attempt(world, third, claimOf(slot.key), 1_000)).toMatchObject(granted);
});

test('a dead member is replaced in two changes, where the others answer', async () => {
  const world = await quorumOf('abc');
  world.silent.add('c');
  expect(await change(world, 'abcd')).toMatchObject({ done: true });
  expect(await change(world, 'abd')).toMatchObject({ done: true });
  expect(await starts(world, 'abd')).toBe(true);
  world.silent.delete('c');
  expect([await starts(world, 'abc'), await starts(world, 'abcd')]).toEqual([false, true]);
});

test('a change is not made without a majority, and goes on when it is repeated', async () => {
  const world = await quorumOf('abc');
  world.silent.add('b').add('c');
  const silent = /member 2 of 4 \(memory\), member 3 of 4 \(memory\) cannot be reached|1 of the 3 before/;
  expect(await change(world, 'abcd')).toMatchObject(unavailable(silent));
  world.silent.clear();
  // One member has the proposal.
  expect([await starts(world, 'abc'), await starts(world, 'abcd')]).toEqual([true, false]);
  expect(await change(world, 'abce')).toMatchObject(misconfigured(/another change is not complete/));
  expect(await change(world, 'abcd')).toMatchObject({ done: true });
  expect(await starts(world, 'abcd')).toBe(true);
});

test('of two simultaneous changes one at most is made, and one with --force after both failed', async () => {
  let failed = 0;
  for (const order of ['abcd', 'dcba', 'adbc', 'badc']) {
    const world = await quorumOf('abcd');
    // Each reaches the stores in another order.
    const slow = (names: string, delays: string): readonly LockProvider[] =>
      [...names].map((name) => {
        const member = world.member(name);
        const register: LockProvider['register'] = async (text, to) => {
          await new Promise<void>((resolve) => void world.runtime.setTimer(resolve, delays.indexOf(name), false));
          return await member.register?.(text, to);
        };
        return { ...member, register };
      });
    const both = [slow('bcd', order), slow('acd', [...order].toReversed().join(''))];
    const answers = both.map((members) => changeQuorum(members).catch((error: unknown) => error));
    await world.runtime.advance(6_000);
    const done = (await Promise.all(answers)).filter((answer) => !(answer instanceof Error));
    const starting = [await starts(world, 'bcd'), await starts(world, 'acd')].filter(Boolean);
    expect(starting).toHaveLength(done.length);
    expect(await starts(world, 'abcd')).toBe(true);
    if (done.length > 0) continue;
    failed += 1;
    expect(await change(world, 'acd')).toMatchObject(misconfigured(/another change is not complete/));
    expect(await change(world, 'acd', true)).toMatchObject({ done: true });
    expect([await starts(world, 'bcd'), await starts(world, 'acd'), await starts(world, 'abcd')]).toEqual([
      false,
      true,
      true,
    ]);
  }
  expect(failed).toBeGreaterThan(0);
});
