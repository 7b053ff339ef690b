import * as fc from 'fast-check';
import { schedules } from './commands.ts';
import type { Model } from './commands.ts';
import { finish } from './finish.ts';
import { World } from './world.ts';
import type { Conditions, Flaw } from './world.ts';

/** What came of one schedule. */
export interface Outcome {
  /** What it broke, shrunk to few commands, and how to see it again. `undefined`: nothing. */
  readonly failure: string | undefined;
  /** Everything that happened in its last run, line by line. */
  readonly log: readonly string[];
}

/** The seed of schedule number `index` of a base seed. */
export function seedOf(base: number, index: number): number {
  const mixed = Math.imul(base ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) & 0x7fffffff;
}

async function play(
  conditions: Conditions,
  commands: Parameters<typeof fc.asyncModelRun<Model, World, boolean, Model>>[1],
  flaw: Flaw | undefined,
): Promise<World> {
  const world = new World(conditions, flaw);
  const { stackTraceLimit } = Error;
  // Errors are made by the hundred thousand, and their stacks are not read.
  Error.stackTraceLimit = 0;
  const model: Model = { alive: world.processes.map(() => true) };
  try {
    await fc.asyncModelRun(() => ({ model, real: world }), commands);
    await finish(world);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return world;
}

/**
 * Plays the schedule of one seed; if it breaks anything, looks for a shorter one that breaks
 * something too.
 */
export async function runSchedule(seed: number, flaw?: Flaw, shrink = true): Promise<Outcome> {
  // Virtual time needs no turn of the event loop; the test runner does.
  await new Promise((resolve) => setImmediate(resolve));
  let log: readonly string[] = [];
  const property = fc.asyncProperty(schedules, async ([conditions, commands]) => {
    const world = await play(conditions, commands, flaw);
    const broken = world.problems.length > 0;
    if (broken || log.length === 0) ({ log } = world);
    if (broken) throw new Error(world.problems.slice(0, 5).join('\n'));
  });
  const details = await fc.check(property, { seed, numRuns: 1, plugins: [fc.unbiased()], endOnFailure: !shrink });
  if (!details.failed) return { failure: undefined, log };
  const failure = [
    `Schedule ${seed} breaks a promise. To play it again:`,
    `  LOCKS_SCHEDULE_SEED=${seed} npx vitest run schedules`,
    String(details.errorInstance),
    fc.defaultReportMessage(details),
    ...log.slice(-80),
  ].join('\n');
  return { failure, log };
}
