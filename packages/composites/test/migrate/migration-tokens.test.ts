import { expect, test } from 'vitest';
import { flawed, weakerMigrate } from '../flaws/weaker-migrations.ts';
import { movingWorld } from '../support/migrating-world.ts';
import { RestartingServer } from '../support/restarting-server.ts';
import type { MovingProcess, MovingWorld } from '../support/migrating-world.ts';

test.each([
  ['compares tokens', [], true],
  ['does not', flawed.doesNotCompare, false],
] as const)('the first clock is 4 s ahead, and a process %s', async (_, flaws, higher) => {
  const world = movingWorld(4_000);
  const before = await world.token(world.plain(world.from), 'idle');
  const moves = world.process('moves', 'both', { settle: 0, made: await weakerMigrate(...flaws) });
  await world.token(moves, 'job');
  const { safeIn } = (await world.status()).to;
  expect(safeIn).toBeGreaterThan(4_000);
  expect(safeIn).toBeLessThan(4_200);
  moves.phase = 'to';
  const took = await world.until(() => moves.place === 'to');
  if (higher) expect(took).toBeGreaterThan(3_900);
  expect((await world.token(moves, 'idle')) > before).toBe(higher);
});

test('two migrations in sequence, between three clocks: no token is lower than one before', async () => {
  const world = movingWorld(3_000);
  const third = new RestartingServer(world.runtime, -1_500);
  const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
  const highest = new Map<string, bigint>();
  const low: string[] = [];
  let turn = 0;
  const use = async (by: MovingProcess | ReturnType<MovingWorld['plain']>, what: string): Promise<void> => {
    turn += 1;
    for (const key of keys.filter((_, index) => (index + turn) % 3 > 0)) {
      const token = await world.token(by, key);
      if (token <= (highest.get(key) ?? 0n)) low.push(`${what}: ${key}`);
      highest.set(key, token);
    }
  };
  const move = async (name: string, stores: readonly [RestartingServer, RestartingServer]): Promise<void> => {
    const process = world.process(name, 'both', { name, stores });
    await use(process, `${name} both`);
    process.phase = 'to';
    await world.until(() => process.place === 'to');
    await use(process, `${name} to`);
    await world.end(process.locks);
  };
  await use(world.plain(world.from), 'before');
  await move('first', [world.from, world.to]);
  await use(world.plain(world.to), 'between');
  await move('second', [world.to, third]);
  await use(world.plain(third), 'after');
  expect(low).toEqual([]);
});
