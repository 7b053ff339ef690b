import { describe, expect, it, onTestFinished } from 'vitest';
import { subscribe } from '../../src/index.ts';
import { scenarios } from './scenarios.ts';
import { ObjectWorld } from './world.ts';
import type { Scenario } from './world.ts';
import { flawedProviders } from '../schedules/flaws.ts';
import { seedOf } from '../schedules/run.ts';
import type { Flaw } from '../schedules/world.ts';

const { LOCKS_SCHEDULES = '150', LOCKS_SCHEDULE_BASE = '20261123', LOCKS_SCHEDULE_SEED } = process.env;
const base = Number(LOCKS_SCHEDULE_BASE);
/** Of each object: all together are that many. */
const count = Math.ceil(Number(LOCKS_SCHEDULES) / Object.keys(scenarios).length);
const timeout = 600_000;

/** Plays the schedule of one seed. */
async function play(scenario: Scenario, seed: number, flaw?: Flaw): Promise<ObjectWorld> {
  // Virtual time needs no turn of the event loop; the test runner does.
  await new Promise((resolve) => setImmediate(resolve));
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const world = new ObjectWorld(seed, flaw);
    const { step, end } = scenario(world);
    for (let steps = 6 + world.integer(8); steps > 0; steps -= 1) {
      const process = world.pick(world.processes);
      if (!process.dead && process.runtime.busyUntil <= world.store.time) step(process);
      world.disturb();
      await world.store.advance(world.integer(60));
      world.look();
    }
    await end?.();
    await world.finish();
    return world;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The first schedule that breaks a promise, as text with its events. */
async function findFailure(scenario: Scenario, schedules: number, flaw?: Flaw): Promise<string | undefined> {
  for (let index = 0; index < schedules; index += 1) {
    const seed = seedOf(base, index);
    const { problems, log } = await play(scenario, seed, flaw);
    if (problems.length === 0) continue;
    const again = `LOCKS_SCHEDULE_SEED=${seed} npx vitest run object-schedules`;
    return [`Schedule ${seed} breaks a promise. To play it again:`, `  ${again}`, ...problems, ...log].join('\n');
  }
  return undefined;
}

/** A leader that fails is no news here. */
function withoutWarnings(): void {
  onTestFinished(subscribe('locks:election', () => {}));
}

if (LOCKS_SCHEDULE_SEED !== undefined) {
  it.each(Object.entries(scenarios))('the schedule that was asked for: %s', async (_, scenario) => {
    withoutWarnings();
    const { problems, log } = await play(scenario, Number(LOCKS_SCHEDULE_SEED));
    console.log(log.join('\n'));
    expect(problems).toEqual([]);
  });
} else {
  describe(`${count} schedules over a bad network break no promise`, () => {
    it.each(Object.entries(scenarios))('of %s', { timeout }, async (_, scenario) => {
      withoutWarnings();
      expect(await findFailure(scenario, count)).toBeUndefined();
    });
  });

  it.each(Object.entries(scenarios))('schedules of %s happen again from their seed', async (_, scenario) => {
    withoutWarnings();
    for (let index = 0; index < 3; index += 1) {
      const seed = seedOf(base, index);
      const { log } = await play(scenario, seed);
      expect(log.length).toBeGreaterThan(5);
      expect((await play(scenario, seed)).log).toEqual(log);
    }
  });

  it.each(Object.entries(scenarios))(
    '100 schedules of %s find a provider that lets go too early',
    async (_, scenario) => {
      withoutWarnings();
      const flaw = flawedProviders['lets go before the ttl is over'];
      expect(await findFailure(scenario, 100, flaw)).toMatch(/hold|permits/);
    },
  );
}
