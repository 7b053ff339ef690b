import { isLockError } from '../../errors/lock-error.ts';
import { checkHistory } from '../history/check-history.ts';
import { excerptOf } from '../history/excerpt.ts';
import { createWorld, seedOf } from './world.ts';
import type { PlayedWorld, Scenario, World } from './world.ts';

/** Options of a simulation. */
export interface SimulateOptions {
  /** Of all random choices. @default 1 */
  readonly seed?: number;
  /** How many schedules are played, until one fails. @default 1_000 */
  readonly schedules?: number;
  /** Plays only the schedule of this name, from the message of a failure. @default all schedules */
  readonly replay?: string;
  /** The number of processes. @default 3 */
  readonly processes?: number;
  /**
   * Without them nothing is lost, and no process is disturbed. The network may be slow.
   * @default true
   */
  readonly faults?: boolean;
  /** The most steps of a schedule, of all processes together. @default 14 */
  readonly steps?: number;
  /** The longest time between two steps, in virtual ms. @default 60 */
  readonly pace?: number;
  /**
   * How long calls may take after the end of faults, in virtual ms.
   * @default 10_000
   */
  readonly patience?: number;
  /** After this time nothing is left of abandoned calls, in virtual ms. @default 8_000 */
  readonly settle?: number;
}

/** How long an idle `close` may take, in virtual ms. */
const closing = 1_000;

/** What a simulation has played without a failure. */
export interface Simulated {
  /** The number of schedules. */
  readonly schedules: number;
  /** What happened in the last of them, line by line. */
  readonly log: readonly string[];
}

/**
 * Plays schedules of several virtual processes over one or more simulated stores. Their network
 * delays, loses and duplicates requests and replies, processes are blocked, sleep, crash or are cut
 * off, and clocks drift and are set. All of that comes from the seed.
 *
 * `scenario` is called for each schedule. It defines what the processes do, and reports violations.
 * In addition, each schedule checks that all calls end, that nothing is left in the stores, that
 * `close` ends, and the `history`.
 *
 * Rejects for the first schedule that fails. Its events are removed one by one, as long as it
 * fails. The message contains the name for `replay`, the problems, and all that happened.
 */
export async function simulate(options: SimulateOptions, scenario: (world: World) => Scenario): Promise<Simulated> {
  const { seed = 1, replay } = options;
  const schedules = replay === undefined ? (options.schedules ?? 1_000) : 1;
  let log: readonly string[] = [];
  for (let index = 0; index < schedules; index += 1) {
    const name = replay === undefined ? { seed: seedOf(seed, index) } : parse(replay);
    const world = await play(name, options, scenario);
    ({ log } = world);
    if (world.problems.length === 0) continue;
    const shortest = replay === undefined ? await shrink(name.seed, options, scenario) : name;
    throw new Error(await failure(shortest, options, scenario));
  }
  return { schedules, log };
}

/** A schedule: what is drawn from `seed`, reduced to these events. Absent: all. */
interface Name {
  readonly seed: number;
  readonly events?: readonly number[];
}

function print({ seed, events }: Name): string {
  return events === undefined ? `${seed}` : `${seed}:${events.join('.')}`;
}

function parse(name: string): Name {
  const [seed, events] = name.split(':');
  return { seed: Number(seed), ...(events !== undefined && { events: events.split('.').map(Number) }) };
}

async function failure(name: Name, options: SimulateOptions, scenario: (world: World) => Scenario): Promise<string> {
  const { problems, log } = await play(name, options, scenario);
  const again = `simulate({ ..., replay: '${print(name)}' }, ...)`;
  const shown = [...problems.slice(0, 5), '', ...log.slice(-80)];
  return [`A schedule failed. To play it again: ${again}`, ...shown].join('\n');
}

/** Removes events, first many together, as long as the schedule fails. */
async function shrink(seed: number, options: SimulateOptions, scenario: (world: World) => Scenario): Promise<Name> {
  const fails = async (events: readonly number[]): Promise<boolean> =>
    (await play({ seed, events }, options, scenario)).problems.length > 0;
  let events: readonly number[] = Array.from({ length: 2 * (options.steps ?? 14) }, (_, index) => index);
  for (let size = events.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < events.length;) {
      const fewer = [...events.slice(0, from), ...events.slice(from + size)];
      if (await fails(fewer)) events = fewer;
      else from += size;
    }
  }
  return { seed, events };
}

async function play(
  { seed, events }: Name,
  { processes = 3, faults = true, steps = 14, pace = 60, patience = 10_000, settle = 8_000 }: SimulateOptions,
  scenario: (world: World) => Scenario,
): Promise<PlayedWorld> {
  // Virtual time needs no turn of the event loop; the test runner does.
  await new Promise((resolve) => setImmediate(resolve));
  const { stackTraceLimit } = Error;
  // Errors are made by the hundred thousand, and their stacks are not read.
  Error.stackTraceLimit = 0;
  try {
    const world = createWorld(seed, processes, faults);
    const played = scenario(world);
    const observer = world.open(played);
    const happens = (event: number): boolean => events?.includes(event) !== false;
    const length = Math.ceil(steps / 2) + world.integer(Math.floor(steps / 2));
    for (let step = 0; step < length; step += 1) {
      world.begin(2 * step);
      const process = world.pick(world.processes);
      const ms = world.integer(pace);
      if (process.awake && happens(2 * step)) played.step(process);
      world.begin(2 * step + 1);
      if (happens(2 * step + 1)) world.disturb();
      await world.advance(ms);
    }
    world.heal();
    await world.advance(Math.max(0, ...world.processes.map(({ runtime }) => runtime.busyUntil - world.runtime.time)));
    await played.end?.();
    await finish(world, observer, patience, settle);
    await played.check?.();
    for (const violation of checkHistory(world.history.events, { requestsMayRepeat: true }))
      world.report(excerptOf(world.history.events, violation));
    return world;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function finish(
  world: PlayedWorld,
  observer: PlayedWorld['processes'][number]['locks'],
  patience: number,
  settle: number,
): Promise<void> {
  const open = (): readonly string[] => world.processes.flatMap(({ calls }) => [...calls]);
  for (let passed = 0; passed < patience && open().length > 0; passed += 100) await world.advance(100);
  for (const name of open()) world.report(`${name} has not ended`);
  await world.advance(settle);
  let looked = false;
  const looking = reportLeft(world, observer)
    .catch((error: unknown) => {
      // This provider cannot list.
      if (!isLockError(error, 'LOCK_INVALID')) throw error;
    })
    .finally(() => void (looked = true));
  for (let passed = 0; passed < patience && !looked; passed += 10) await world.advance(10);
  await looking;
  for (const { alive, name, runtime, locks } of world.processes) {
    if (!alive) continue;
    let closed = false;
    void locks.close().then(() => void (closed = true));
    await world.advance(0);
    for (let passed = 0; passed < closing && !closed; passed += 10) await world.advance(10);
    if (!closed || runtime.keepAliveTimers > 0) world.report(`${name} does not exit: something keeps it running`);
  }
}

async function reportLeft(world: World, observer: PlayedWorld['processes'][number]['locks']): Promise<void> {
  for await (const key of observer.list()) {
    const { holders, waiters } = await observer.inspect(key);
    if (holders.length + waiters === 0) continue;
    const owners = holders.map(({ owner }) => owner).join(', ');
    world.report(`${key} is left with the holders ${owners || 'none'} and ${waiters} in the queue`);
  }
}
