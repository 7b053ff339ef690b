import { createLocks } from '../../manager.ts';
import { createMemoryProvider } from '../../memory/provider.ts';
import { createMemoryStore } from '../../memory/store.ts';
import type { Locks } from '../../locks.ts';
import { createHistory } from '../history/create-history.ts';
import type { History } from '../history/create-history.ts';
import { createRandom } from '../random.ts';
import { createVirtualRuntime } from '../virtual-runtime.ts';
import type { VirtualRuntime } from '../virtual-runtime.ts';
import { Network, allConditions, calm, faultless } from './network.ts';
import { SimulatedProcess } from './process.ts';

/** What the processes of a simulation do. */
export interface Scenario {
  /**
   * Opens the client of a process, over its `link` or `request`. @default a store in memory, which
   * all processes share, with a `ttl` of 300 ms
   */
  open?(process: SimulatedProcess): Locks;
  /** One step of a process: it begins calls with `process.run`, and does not wait for them. */
  step(process: SimulatedProcess): void;
  /** After each step and each answer of a store: `report`s violations. */
  look?(): void;
  /** Faults have ended: ends calls that last until then. */
  end?(): void | Promise<void>;
  /** All calls have ended: `report`s violations. */
  check?(): void | Promise<void>;
}

/** Several processes in virtual time, and all that happens between them. */
export interface World {
  /** The time of the stores. The clocks of processes may run faster or slower. */
  readonly runtime: VirtualRuntime;
  /** The processes. Some may have crashed. */
  readonly processes: readonly SimulatedProcess[];
  /** Records leases, for `checkHistory`, which runs at the end. */
  readonly history: History;
  /** The network of this schedule loses and slows nothing. */
  readonly calm: boolean;
  /** An integer from 0 up to `below`, from the seed. */
  integer(below: number): number;
  /** One of `some`, from the seed. */
  pick<T>(some: readonly T[]): T;
  /** Adds a line to the report of a failure. */
  note(line: string): void;
  /** Fails the schedule. */
  report(problem: string): void;
  /** Advances time by `ms`, then looks. */
  advance(ms: number): Promise<void>;
}

/** What running one schedule needs of its world, besides what scenarios see. */
export interface PlayedWorld extends World {
  readonly log: readonly string[];
  readonly problems: readonly string[];
  /** From now on numbers are those of event number `index`. */
  begin(index: number): void;
  /** Opens the clients of all processes, and one to inspect what is left. */
  open(scenario: Scenario): Locks;
  /** Causes a fault, or none. */
  disturb(): void;
  heal(): void;
}

export function seedOf(base: number, index: number): number {
  const mixed = Math.imul(base ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) & 0x7fffffff;
}

export function createWorld(seed: number, count: number, faults: boolean): PlayedWorld {
  let random = createRandom(seed);
  const runtime = createVirtualRuntime();
  const log: string[] = [];
  const problems: string[] = [];
  let look = (): void => {};
  const note = (line: string): void => {
    log.push(`${runtime.time} ${line}`);
    if (line.startsWith('store: ')) look();
  };
  const report = (problem: string): void => {
    problems.push(`at ${runtime.time}: ${problem}`);
    note(`PROBLEM ${problem}`);
  };
  const integer = (below: number): number => Math.floor(random() * below);
  const pick = <T>(some: readonly T[]): T => some[integer(some.length)] as T;
  const conditions = pick(faults ? allConditions : faultless);
  const drift = pick([0, 0.005]);
  const networkRandom = createRandom(seedOf(seed, -1));
  const create = (name: string, rate = 1): SimulatedProcess => {
    const own = createVirtualRuntime({ with: runtime, seed: integer(2 ** 31), rate });
    return new SimulatedProcess(name, own, new Network(conditions, runtime, own, networkRandom), {
      store: runtime,
      note,
      report,
    });
  };
  const processes = Array.from({ length: count }, (_, index) => create(`p${index}`, 1 + (random() * 2 - 1) * drift));
  const observer = create('observer');
  const history = createHistory(() => runtime.time);

  return {
    runtime,
    processes,
    history,
    calm: conditions === calm,
    log,
    problems,
    integer,
    pick,
    note,
    report,
    async advance(ms) {
      await runtime.advance(ms);
      look();
    },
    begin(index) {
      random = createRandom(seedOf(seed, index));
    },
    open(scenario) {
      const open = scenario.open?.bind(scenario) ?? openInMemory(runtime);
      look = () => {
        history.look();
        scenario.look?.();
      };
      for (const process of processes) process.locks = open(process);
      observer.network.conditions = calm;
      return open(observer);
    },
    disturb() {
      if (!faults) return;
      const process = pick(processes);
      const ms = 20 + integer(500);
      const fault = integer(24);
      if (!process.awake) return;
      if (fault < 2) process.block(ms);
      else if (fault < 4) process.cut(ms);
      else if (fault < 6 && processes.filter(({ alive }) => alive).length > 1) {
        process.crash();
        history.crashed(process.name);
      } else if (fault === 6) process.step(pick([-3_600_000, 3_600_000]));
      // Long enough for the clock to notice it.
      else if (fault === 7) process.sleep(2_500);
    },
    heal() {
      note('from now on there are no faults');
      for (const { network } of processes) {
        network.conditions = calm;
        network.cutUntil = -Infinity;
      }
    },
  };
}

function openInMemory(runtime: VirtualRuntime): (process: SimulatedProcess) => Locks {
  const store = createMemoryStore({ runtime });
  return ({ link, name, runtime: own }) =>
    createLocks(link(createMemoryProvider({ store })), { runtime: own, label: name, ttl: 300 });
}
