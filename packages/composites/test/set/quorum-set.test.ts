import { describe, expect, test } from 'vitest';
import { changeQuorum } from '../../src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { createRandom } from '../../../core/src/testing/random.ts';
import { attempt, claimOf, granted } from './attempt.ts';
import { through } from '../../../core/test/support/through.ts';
import { World } from './fleet.ts';

const refused = (message: RegExp): object => ({
  code: 'LOCK_MISCONFIGURED',
  sent: false,
  message: expect.stringMatching(message) as unknown,
});
const change = (world: World, names: string): ReturnType<typeof changeQuorum> => changeQuorum(world.members(names));
const unavailable = { code: 'LOCK_UNAVAILABLE', sent: false };

/** A world whose quorum is `names`, without a process. */
async function quorumOf(names: string): Promise<World> {
  const world = new World();
  await startOnce(world, names);
  return world;
}

/** A process that claims, and closes. */
async function startOnce(world: World, names: string): Promise<void> {
  const process = world.start(names);
  expect(await attempt(world, process, claimOf(`first of ${names}`), 0)).toMatchObject(granted);
  await process.provider.close();
}

describe('where stores a, b and c are the quorum, a process is refused immediately, by name, with', () => {
  test.each([
    [
      'others',
      'bcde',
      /the quorum \(epoch 2\) has 3 stores. .* lacks 1 of them, and has member 3 of 4 \(memory\), member 4/,
    ],
    ['another order', 'cba', /the members in another order than their quorum/],
    ['one store by two names', 'aba', /member 1 of 3 \(memory\) and member 3 of 3 \(memory\) are one store/],
    ['fewer', 'ab', /has 3 stores. This process lacks 1 of them/],
    ['a member of another quorum', 'abz', /lacks 1 of them, and has member 3 of 3 \(memory\) besides/],
    [
      'two of three that are empty',
      'axy',
      /member 2 of 3 \(memory\), member 3 .* lost their data, or are other stores/,
    ],
  ])('%s', async (_, names, message) => {
    const world = await quorumOf('abc');
    await startOnce(world, 'z');
    expect(await attempt(world, world.start(names), claimOf('another'), 0)).toMatchObject(refused(message));
    expect(await attempt(world, world.start('abc'), claimOf('another'), 0)).toMatchObject(granted);
  });
});

test('an emptied member is known again without a wait, while no process is left, and to processes after that', async () => {
  const world = await quorumOf('abc');
  const before = await world.member('b').register?.('quorum');
  world.empty('b');
  expect(await attempt(world, world.start('abc'), claimOf(), 0)).toMatchObject(granted);
  expect(await world.member('b').register?.('quorum')).toBe(before);
  world.empty('c');
  expect(await attempt(world, world.start('abc'), claimOf('another'), 0)).toMatchObject(granted);
});

test('a running process gives a member that returns empty its id again', async () => {
  const world = new World();
  const process = world.start('abc');
  await attempt(world, process);
  const before = await world.member('a').register?.('quorum');
  world.refusing.add('a');
  expect(await attempt(world, process, claimOf('while it is away'))).toMatchObject(granted);
  world.empty('a');
  world.refusing.delete('a');
  for (const key of ['it answers', 'it is asked'])
    expect(await attempt(world, process, claimOf(key))).toMatchObject(granted);
  expect(await world.member('a').register?.('quorum')).toBe(before);
});

test('a member that did not answer has no vote until its register is read', async () => {
  const world = await quorumOf('abc');
  await startOnce(world, 'z');
  world.silent.add('z');
  const process = world.start('abz');
  expect(await attempt(world, process, claimOf('known members'))).toMatchObject(granted);
  world.silent.delete('z');
  world.silent.add('b');
  await world.runtime.advance(10_000);
  const late = claimOf('late');
  expect(await attempt(world, process, late, 7_000)).toMatchObject({
    code: expect.stringMatching(/UNAVAILABLE|MISCONF/) as unknown,
  });
  expect(await world.member('z').inspect('late')).toMatchObject({ holders: [], waiters: 0 });
  world.silent.delete('b');
  await world.runtime.advance(10_000);
  await attempt(world, process, claimOf('it is read'));
  expect(await attempt(world, process, claimOf('refused'))).toMatchObject(refused(/member 3 of 3 \(memory\) besides/));
});

test('a member that was restored from before a change is brought up to date', async () => {
  const world = await quorumOf('abc');
  const old = await world.member('a').register?.('quorum');
  await change(world, 'abcd');
  const now = await world.member('a').register?.('quorum');
  await world.member('a').register?.('quorum', { from: now, to: old });
  await startOnce(world, 'abcd');
  expect(await world.member('a').register?.('quorum')).toBe(now);
});

test('processes that start simultaneously over new stores agree', async () => {
  const world = new World();
  const all = Array.from({ length: 8 }, () => world.start('abc'));
  const answers = await Promise.all(all.map((each, index) => attempt(world, each, claimOf(`job ${index}`))));
  for (const answer of answers) expect(answer).toMatchObject(granted);
  const texts = await Promise.all(world.members('abc').map(async (member) => await member.register?.('quorum')));
  expect(new Set(texts.map((text) => text?.slice(text.indexOf('!'))))).toHaveLength(1);
});

test('processes that start while others begin the quorum are not refused, however slow each call is', async () => {
  for (let round = 0; round < 40; round += 1) {
    const world = new World();
    const random = createRandom(round);
    const pause = (): Promise<void> =>
      new Promise((resolve) => void world.runtime.setTimer(resolve, random() < 0.2 ? 90 : 1, false));
    const slow = (member: LockProvider): LockProvider => ({
      ...member,
      register: async (...call) => {
        const text = await member.register?.(...call);
        await pause();
        return text;
      },
    });
    const all = Array.from({ length: 8 }, () => world.start(world.members('abcd').map(slow)));
    const answers = await Promise.all(all.map((each, index) => attempt(world, each, claimOf(`job ${index}`), 5_000)));
    for (const answer of answers) expect(answer).toMatchObject(granted);
  }
});

test('an answer from before the first set is none, where the member does not answer again in time', async () => {
  const world = new World();
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => void world.runtime.setTimer(resolve, ms, false));
  const [a, b, c] = world.members('abc').map((member, index): LockProvider => {
    let calls = 0;
    const register: LockProvider['register'] = async (...call) => {
      calls += 1;
      if (index === 0) await pause(50);
      else if (calls > 1) await pause(300);
      return await member.register?.(...call);
    };
    return { ...member, register };
  });
  const early = world.start([a!, b!, c!]);
  const answer = attempt(world, early, claimOf('early'), 5_000);
  await startOnce(world, 'abc');
  expect(await answer).toMatchObject(granted);
});

test('of two first sets that have a store in common, one at most is used', async () => {
  for (const [one, other] of [
    ['abc', 'bcd'],
    ['abc', 'cde'],
    ['abcde', 'edcba'],
  ] as const) {
    const world = new World();
    const processes = [one, other, one, other].map((names) => world.start(names));
    const answers = await Promise.all(processes.map((each, index) => attempt(world, each, claimOf(`job ${index}`))));
    const [first, second] = answers.map((answer) => (answer as { granted?: boolean }).granted === true);
    expect([first, second]).toContain(false);
  }
});

test('a set that is complete costs no call but those of claims', async () => {
  const world = new World();
  const process = world.start('abc');
  await attempt(world, process);
  const before = world.calls;
  const claim = claimOf('another');
  await attempt(world, process, claim, 60_000);
  await process.provider.release(claim);
  // The votes, with one token in a world of one clock, and the release.
  expect(world.calls - before).toBe(6);
});

test('members without registers are not checked', async () => {
  const world = new World();
  const without = (names: string): readonly LockProvider[] =>
    world.members(names).map((member) => through(member, (call) => call()));
  expect(await attempt(world, world.start(without('abc')))).toMatchObject(granted);
  expect(await attempt(world, world.start(without('cde')), claimOf('another'))).toMatchObject(granted);
});

test('with too few members that answer a claim is unavailable, and granted soon after they do', async () => {
  const world = new World();
  world.silent.add('a').add('b');
  const process = world.start('abc');
  expect(await attempt(world, process, claimOf(), 6_000)).toMatchObject(unavailable);
  world.silent.clear();
  await world.runtime.advance(5_000);
  expect(await attempt(world, process)).toMatchObject(granted);
});

test('a claim that is released while the registers are read asks for nothing', async () => {
  const world = new World();
  world.silent.add('c');
  const { provider } = world.start('abc');
  const claim = claimOf();
  const answer = watch(provider.tryAcquire(claim), world.runtime);
  await world.runtime.advance(50);
  expect(answer.state).toBe('open');
  const released = watch(provider.release(claim), world.runtime);
  await world.runtime.advance(1_000);
  expect([answer.value, released.value]).toEqual([{ granted: false }, false]);
  for (const name of 'ab') expect(await world.member(name).inspect('job')).toMatchObject({ holders: [], waiters: 0 });
});

test('a claim that waits for the registers hears that its provider is closed', async () => {
  const world = new World();
  world.silent.add('a').add('b');
  const { provider } = world.start('abc');
  const answer = watch(provider.tryAcquire(claimOf()), world.runtime);
  const closed = watch(provider.close(), world.runtime);
  await world.runtime.advance(1_000);
  expect([answer.error, closed.state]).toMatchObject([{ code: 'LOCK_CLOSED' }, 'fulfilled']);
});
