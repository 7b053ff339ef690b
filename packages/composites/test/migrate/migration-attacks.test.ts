import { expect, test } from 'vitest';
import type { Phase } from '../../src/index.ts';
import { migrate } from '../../src/index.ts';
import { flawed, weakerMigrate } from '../flaws/weaker-migrations.ts';
import { movingWorld, presenceTtl } from '../support/migrating-world.ts';
import { RestartingServer } from '../support/restarting-server.ts';
import type { MovingProcess, MovingWorld } from '../support/migrating-world.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

/** Longer than it takes to enter an end, or to be refused. */
const while_ = 3 * presenceTtl;

async function reach(world: MovingWorld, place: Phase, ...processes: readonly MovingProcess[]): Promise<void> {
  for (const each of processes) await world.until(() => each.place === place);
}

/** Whether both hold one key at the same time. */
async function bothHold(world: MovingWorld, one: MovingProcess, other: MovingProcess, key = 'job'): Promise<boolean> {
  const first = await world.take(one, key);
  const second = await world.take(other, key);
  const both = first?.held === true && second?.held === true;
  for (const lease of [first, second]) if (lease !== null) await world.settled(lease.release().catch(() => false));
  return both;
}

test.each([
  ['to', 'from'],
  ['from', 'to'],
] as const)('all in "%s", and the store "%s" is emptied: a new process enters at once', async (place, emptied) => {
  const world = movingWorld();
  const [a, b] = [world.process('a', place), world.process('b', place)];
  await reach(world, place, a, b);
  world[emptied].empty();
  const c = world.process('c', place);
  const start = world.runtime.time;
  const lease = await world.settled(c.locks.acquire('k', { wait: 5_000 }));
  expect(world.runtime.time - start).toBeLessThan(300);
  expect(c.place).toBe(place);
  expect(await world.take(a, 'k')).toBeNull();
  await world.settled(lease.release());
  expect(await world.obstacles(place, 3)).toEqual([]);
});

test.each(['from', 'to'] as const)('all in "both", and the store "%s" is emptied', async (emptied) => {
  const world = movingWorld();
  const [a, b] = [world.process('a', 'both'), world.process('b', 'both')];
  const lease = await world.settled(a.locks.acquire('k'));
  world[emptied].empty();
  expect(await world.take(b, 'k')).toBeNull();
  const c = world.process('c', 'both');
  expect(await world.take(c, 'other')).not.toBeNull();
  await world.until(() => !lease.held);
  await world.runtime.advance(2_000);
  expect(await world.token(b, 'k')).toBeGreaterThan(lease.token);
  await world.runtime.advance(2_000);
  expect(await world.obstacles('both', 3)).toEqual([]);
});

test.each([
  ['two looks', migrate, 0],
  ['one look', migrate, 1],
] as const)('a store comes back empty, and its processes do not know yet: %s', async (_, made, looks) => {
  const world = movingWorld();
  const stays = world.process('stays', 'from', { made });
  const moves = world.process('moves', 'from', { made, ...(looks === 1 && { settle: 0 }) });
  await reach(world, 'from', stays, moves);
  world.from.empty();
  moves.phase = 'to';
  let twice = 0;
  for (let tries = 0; tries < 30; tries += 1) {
    await world.runtime.advance(100);
    if (await bothHold(world, stays, moves, `k${tries}`)) twice += 1;
  }
  if (looks === 1) expect(twice).toBeGreaterThan(0);
  else expect(twice).toBe(0);
});

test('the second process of an end does not wait', async () => {
  const world = movingWorld();
  const first = world.process('first', 'to');
  expect(await world.until(() => first.place === 'to')).toBeGreaterThanOrEqual(presenceTtl);
  const second = world.process('second', 'to');
  expect(await world.until(() => second.place === 'to')).toBeLessThan(300);
});

test('a late process of before is refused while plain locks are held, by their key', async () => {
  const world = movingWorld();
  const plain = world.plain(world.to);
  const leader = await world.settled(plain.acquire('leader'));
  const late = world.process('late', 'from');
  await world.runtime.advance(while_);
  expect(late.place).toBe('both');
  expect(await world.take(late, 'leader')).toBeNull();
  expect(await world.obstacles('from')).toContainEqual(
    expect.stringMatching(/"leader" is held in "to" without migrate, by plain/),
  );
  await world.settled(leader.release());
  await reach(world, 'from', late);
});

test.each([
  ['looks for locks', [], false],
  ['does not', flawed.seesNoLocks, true],
] as const)('from plain to "to" in one deploy, where a process %s', async (_, flaws, expected) => {
  const world = movingWorld();
  const plain = world.plain(world.from);
  const lease = await world.settled(plain.acquire('job'));
  const next = world.process('next', 'to', { made: await weakerMigrate(...flaws) });
  await world.runtime.advance(while_);
  expect(((await world.take(next, 'job'))?.held ?? false) && lease.held).toBe(expected);
  expect(next.place).toBe(expected ? 'to' : 'both');
});

test.each([
  ['one for a store', [], false],
  ['one for a name and an end', flawed.keyByName, true],
] as const)('ends are swapped in one process, and the key of presences is %s', async (_, flaws, expected) => {
  const world = movingWorld();
  const made = await weakerMigrate(...flaws);
  const right = world.process('right', 'from', { made });
  await reach(world, 'from', right);
  const swapped = world.process('swapped', 'from', { made, stores: [world.to, world.from] });
  await world.runtime.advance(while_);
  expect(swapped.place).toBe(expected ? 'from' : 'both');
  expect(await bothHold(world, right, swapped)).toBe(expected);
});

test('a process of the other end, under another name, is refused', async () => {
  const world = movingWorld();
  const right = world.process('right', 'from');
  await reach(world, 'from', right);
  const other = world.process('other', 'to', { name: 'other' });
  await world.runtime.advance(while_);
  expect(other.place).toBe('both');
  expect(await bothHold(world, right, other)).toBe(false);
});

test('one process is left in a first migration when a second one begins', async () => {
  const world = movingWorld();
  const third = new RestartingServer(world.runtime);
  const left = world.process('left', 'to');
  await reach(world, 'to', left);
  const next = world.process('next', 'to', { name: 'second', stores: [world.to, third] });
  await world.runtime.advance(while_);
  expect(next.place).toBe('both');
  expect(await bothHold(world, left, next)).toBe(false);
  await world.end(left.locks);
  await reach(world, 'to', next);
});

test('two services share a prefix: the one that moves names the key of the other', async () => {
  const world = movingWorld();
  const other = world.plain(world.from, 'billing');
  const lease = await world.settled(other.acquire('billing:job'));
  const moves = world.process('moves', 'both');
  await world.token(moves, 'job');
  moves.phase = 'to';
  await world.runtime.advance(while_);
  expect(moves.place).toBe('both');
  expect(await world.obstacles('to')).toContainEqual(expect.stringContaining('"billing:job" is held in "from"'));
  moves.phase = 'to!';
  await reach(world, 'to', moves);
  expect(lease.held).toBe(true);
  // The word is over with the next phase.
  moves.phase = 'both';
  await reach(world, 'both', moves);
  moves.phase = 'to';
  await world.runtime.advance(while_);
  expect(moves.place).toBe('both');
});

test('a leader of "from" keeps its process there until it ends', async () => {
  const world = movingWorld();
  const [a, b] = [world.process('a', 'from'), world.process('b', 'from')];
  await reach(world, 'from', a, b);
  const lease = await world.settled(a.locks.acquire('lead'));
  for (const each of [a, b]) each.phase = 'both';
  await world.runtime.advance(while_);
  for (const each of [a, b]) each.phase = 'to';
  await world.runtime.advance(while_);
  expect([a.place, b.place]).toEqual(['both', 'both']);
  const why = await world.obstacles('to', 2);
  expect(why).toContainEqual(expect.stringMatching(/^a~\w+ takes locks in "from", is to be in "to"$/));
  expect(why).toContainEqual(expect.stringMatching(/^"lead" is held in "from" alone, by a\//));
  expect(lease.held).toBe(true);
  await world.settled(lease.release());
  await reach(world, 'to', a, b);
  expect(await world.obstacles('to', 2)).toEqual([]);
});

test('the first store is down for good: "to!" enters, "to" does not', async () => {
  const world = movingWorld();
  const [waits, forced] = [world.process('waits', 'both'), world.process('forced', 'both')];
  const lease = await world.settled(waits.locks.acquire('x'));
  world.from.down = true;
  for (const each of [waits, forced]) each.phase = 'to';
  await world.runtime.advance(while_);
  expect([waits.place, forced.place]).toEqual(['both', 'both']);
  await expect(world.settled(waits.locks.tryAcquire('k'))).rejects.toMatchObject({
    cause: { message: expect.stringContaining('set the phase to "to!"') as unknown },
  });
  forced.phase = 'to!';
  const starts = world.process('starts', 'to!');
  // As processes in "from" do not know yet, perhaps.
  expect(await world.until(() => forced.place === 'to')).toBeGreaterThanOrEqual(presenceTtl);
  expect(await world.take(forced, 'k')).not.toBeNull();
  await reach(world, 'to', starts);
  expect(await world.take(starts, 'k')).toBeNull();
  expect(waits.place).toBe('both');
  expect(lease.held).toBe(false);
  world.from.down = false;
  expect(await world.until(() => waits.place === 'to')).toBeLessThan(2_000);
});

test('a lease of both is in one store after its next renewal, and outlasts the other one', async () => {
  const world = movingWorld();
  const process = world.process('a', 'both');
  const lease = await world.settled(process.locks.acquire('lead'));
  process.phase = 'to';
  await reach(world, 'to', process);
  await world.runtime.advance(2_000);
  expect(await world.obstacles('to', 1)).toEqual([]);
  world.from.down = true;
  await world.runtime.advance(20_000);
  expect(lease.held).toBe(true);
  expect(await world.settled(lease.release())).toBe(true);
});

test('the same store twice is refused, and not waited for', async () => {
  const world = movingWorld();
  const { locks } = world.process('a', 'both', { stores: [world.from, world.from] });
  await expect(world.settled(locks.acquire('k', { wait: 5_000 }))).rejects.toMatchObject(
    misconfigured('name the same store'),
  );
});
