import { expect, test } from 'vitest';
import { breakable } from '../../../core/test/support/breakable.ts';
import { migrate } from '../../src/index.ts';
import type { Phase } from '../../src/index.ts';
import { flawed, weakerMigrate } from '../flaws/weaker-migrations.ts';
import { collect } from '../../../test-servers/src/support/collect.ts';
import { movingWorld } from '../support/migrating-world.ts';

test.each([
  ['from', 'to'],
  ['to', 'from'],
] as const)('a process in %s that loses the store "%s" serves on', async (phase, other) => {
  const world = movingWorld();
  const process = world.process('a', phase);
  await world.until(() => process.place === phase);
  world[other].down = true;
  const lease = await world.settled(process.locks.acquire('job'));
  await world.runtime.advance(20_000);
  expect(lease.held).toBe(true);
  expect(process.place).toBe(phase);
});

test('a process in both that loses a store is unavailable, and no obstacle to others', async () => {
  const world = movingWorld();
  const from = breakable(world.from.open());
  const process = world.process('a', 'both', { from });
  await world.token(process, 'first');
  from.down = true;
  await expect(world.settled(process.locks.tryAcquire('job'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  const other = world.process('b', 'to');
  // What begins before it acts under the end takes both stores.
  await world.token(other, 'job');
  await world.until(() => other.place === 'to');
  await world.token(other, 'job');
});

test('a process in from that loses its own store loses its leases with it, and returns', async () => {
  const world = movingWorld();
  const process = world.process('a', 'from');
  await world.until(() => process.place === 'from');
  const lease = await world.settled(process.locks.acquire('job'));
  world.from.down = true;
  await world.until(() => !lease.held);
  await world.until(() => process.place === 'both');
  world.from.down = false;
  await world.until(() => process.place === 'from');
  expect(await world.token(process, 'job')).toBeGreaterThan(lease.token);
});

test.each([
  ['is over before others enter the other end', migrate, false],
  ['is not, where it may outlast the presence', await weakerMigrate(...flawed.outlastsPresence), true],
])('a lease of a process that is cut off %s', async (_, made, expected) => {
  const world = movingWorld();
  const from = breakable(world.from.open());
  const first = world.process('first', 'from', { from, made });
  await world.until(() => first.place === 'from');
  const lease = await world.settled(first.locks.acquire('job', { ttl: 60_000 }));
  from.down = true;
  const second = world.process('second', 'to!', { made });
  await world.until(() => second.place === 'to');
  // The presence of the first one has ended, so it is not in the way.
  expect(await world.take(second, 'job')).not.toBeNull();
  expect(lease.held).toBe(expected);
});

test.each(['from', 'both', 'to'] as const)('a release by another process is one, in %s', async (phase) => {
  const world = movingWorld();
  const [one, other] = [world.process('one', phase), world.process('other', phase)];
  await world.until(() => one.place === phase && other.place === phase);
  const lease = await world.settled(one.locks.acquire('job'));
  const [holder] = (await world.settled(other.locks.inspect('job'))).holders;
  expect(holder?.owner).toBe(lease.owner);
  expect(await world.settled(other.locks.forceRelease(holder ?? lease))).toBe(true);
  expect(await world.settled(other.locks.forceRelease(holder ?? lease))).toBe(false);
  await expect(world.settled(lease.renew())).rejects.toMatchObject({ code: 'LOCK_LOST' });
});

test('keys of migrations are refused, and not listed', async () => {
  const world = movingWorld();
  const { locks } = world.process('a', 'both');
  await expect(world.settled(locks.acquire('migration/n/processes'))).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  await world.settled(locks.acquire('job'));
  expect(await world.settled(collect(locks.list()))).toEqual(['job']);
});

test.each<[Phase, Phase, RegExp | undefined]>([
  ['from', 'from', undefined],
  ['both', 'both', undefined],
  ['both', 'to', undefined],
  ['from', 'both', /held in "from" alone.*takes locks in "both"/],
])('a lease is transferred from %s to %s', async (before, after, refusal) => {
  const world = movingWorld();
  const [a, b] = [world.process('a', before), world.process('b', before)];
  for (const each of [a, b]) await world.until(() => each.place === before);
  const lease = await world.settled(a.locks.acquire('job', { ttl: 60_000 }));
  const text = await world.settled(lease.transfer());
  for (const each of [a, b]) each.phase = after;
  await world.until(() => b.place === after);
  const resumed = world.settled(b.locks.resume(text));
  if (refusal === undefined) expect((await resumed).token).toBe(lease.token);
  else await expect(resumed).rejects.toThrow(refusal);
});
