import { expect, test } from 'vitest';
import { createLocks } from '../../../core/src/index.ts';
import type { JobRun, LockError, Locks } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { changeQuorum } from '../../src/index.ts';
import { World } from './fleet.ts';

const slot = new Date(1_699_999_980_000);
const unavailable = { code: 'LOCK_UNAVAILABLE' };

/** What `call` gives, or rejects with. */
async function settled<T>(world: World, call: Promise<T>): Promise<T | LockError> {
  const watched = watch(call, world.runtime);
  for (let passed = 0; watched.state === 'open' && passed < 20_000; passed += 20) await world.runtime.advance(20);
  return watched.state === 'fulfilled' ? (watched.value as T) : (watched.error as LockError);
}

/** The job has run in its slot, in a process with these members. */
async function run(world: World, locks: Locks): Promise<void> {
  const answer = await settled(
    world,
    locks.once('job', slot, {}, () => {}),
  );
  expect(answer).toMatchObject({ state: 'ran' });
}

/** What a new process with these members reads. */
async function read(world: World, names: string): Promise<JobRun | LockError | undefined> {
  const { locks } = world.start(names);
  return await settled(world, locks.job('job'));
}

/** What an operator calls after each deploy, while all stores answer. */
async function readAll(world: World, names: string): Promise<void> {
  const { locks } = world.start(names);
  const reading = (async () => {
    for await (const { state } of locks.jobs()) expect(state).toBe('done');
  })();
  expect(await settled(world, reading)).toBeUndefined();
}

async function change(world: World, names: string): Promise<void> {
  expect(await settled(world, changeQuorum(world.members(names)))).toMatchObject({ done: true });
}

const done = { slot, state: 'done' };

test('a store that comes in place of a dead one has the record of each job after the next read', async () => {
  const world = new World();
  await run(world, world.start('abc').locks);
  world.silent.add('c');
  await change(world, 'abcd');
  expect(await read(world, 'abcd')).toMatchObject(done);
  await change(world, 'abd');
  world.silent.add('a');
  expect(await read(world, 'abd')).toMatchObject(done);
});

test('a new store proves nothing until it has the records: a read is unavailable, and never empty', async () => {
  const world = new World();
  await run(world, world.start('abc').locks);
  await change(world, 'abcd');
  await change(world, 'bcd');
  for (const lost of 'bc') {
    world.silent.add(lost);
    expect(await read(world, 'bcd')).toMatchObject(unavailable);
    const { locks } = world.start('bcd');
    expect(
      await settled(
        world,
        locks.once('job', slot, {}, () => {}),
      ),
    ).toMatchObject(unavailable);
    world.silent.delete(lost);
  }
  await readAll(world, 'bcd');
  for (const lost of 'bcd') {
    world.silent.add(lost);
    expect(await read(world, 'bcd')).toMatchObject(done);
    world.silent.delete(lost);
  }
});

test.each([
  ['with', true],
  ['without', false],
])('one store becomes a quorum of three, %s a read of all jobs between', async (_, reads) => {
  const world = new World();
  await run(world, createLocks(world.member('a'), { runtime: world.runtime }));
  world.start('ab');
  await change(world, 'ab');
  if (reads) await readAll(world, 'ab');
  await change(world, 'abc');
  world.silent.add('a');
  expect(await read(world, 'abc')).toMatchObject(reads ? done : unavailable);
  world.silent.delete('a');
  expect(await read(world, 'abc')).toMatchObject(done);
  world.silent.add('a');
  expect(await read(world, 'abc')).toMatchObject(done);
});

test('a process with other members than the quorum reads and changes no register', async () => {
  const world = new World();
  await run(world, world.start('abc').locks);
  const { provider } = world.start('axy');
  for (const to of [undefined, 'text']) {
    const answer = settled(world, provider.register!('name', to === undefined ? undefined : { from: undefined, to }));
    expect(await answer).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  }
  expect(await world.member('x').register?.('name')).toBeUndefined();
});
