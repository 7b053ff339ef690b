import type { LockProvider } from '../../contract.ts';
import { isLockError } from '../../errors/lock-error.ts';
import type { Locks } from '../../locks.ts';
import type { VirtualRuntime } from '../virtual-runtime.ts';
import { linkTo } from './link.ts';
import { callTimeout } from './network.ts';
import type { Network } from './network.ts';

/** What a process notes, and where. */
export interface Journal {
  /** The time of the simulation. */
  readonly store: VirtualRuntime;
  /** Adds a line. */
  note(line: string): void;
  /** Adds a problem, which fails the schedule. */
  report(problem: string): void;
}

/** Expected failures of a call in a world where anything may be lost. */
const usual: ReadonlySet<string> = new Set(['LOCK_UNAVAILABLE', 'LOCK_LOST', 'LOCK_TIMEOUT']);

/** One process of a simulation, with its own event loop, clocks and network. */
export class SimulatedProcess {
  /** `p0` and so on: the first part of the owners of its leases. */
  readonly name: string;
  /** Its clock and timers: option `runtime` of all that it opens. */
  readonly runtime: VirtualRuntime;
  /** Its network. */
  readonly network: Network;
  /** Its client, as the scenario opened it. */
  locks!: Locks;
  /** It has not crashed. */
  alive = true;
  /** Until this time of the world its last fault lasts, in ms. */
  disturbedUntil: number = -Infinity;
  /** Until this time of the world its machine sleeps, in ms. */
  asleepUntil: number = -Infinity;
  /** The calls that `run` follows, by name. */
  readonly calls: Set<string> = new Set();
  readonly #journal: Journal;
  #count = 0;

  constructor(name: string, runtime: VirtualRuntime, network: Network, journal: Journal) {
    this.name = name;
    this.runtime = runtime;
    this.network = network;
    this.#journal = journal;
  }

  /** Whether it runs: it has not crashed, and its event loop is not blocked. */
  get awake(): boolean {
    return this.alive && this.runtime.busyUntil <= this.#journal.store.time;
  }

  /**
   * `server`, a provider beside its store, as this process sees it over the network. Its calls
   * reject after `timeout` ms without an answer, 120 by default.
   */
  readonly link = (server: LockProvider, timeout: number = callTimeout): LockProvider =>
    linkTo(server, this.network, timeout, (line) => this.#journal.note(line));

  /**
   * Calls any other server: `perform` runs there, never, once or twice, and some time later.
   * Rejects with `LOCK_UNAVAILABLE` after `timeout` ms without an answer.
   */
  readonly request = <T>(perform: () => T | Promise<T>, timeout: number = callTimeout): Promise<T> =>
    this.network.request(perform, timeout, Infinity);

  /** Resolves after `ms` on its clock; never, if it crashes before. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.runtime.setTimer(resolve, ms, false));
  }

  /**
   * Follows `work`, which must end. It may reject with `LOCK_UNAVAILABLE`, `LOCK_LOST` or
   * `LOCK_TIMEOUT`. Every other error is a problem, unless `expected` contains its code.
   */
  run(what: string, work: (name: string) => Promise<unknown>, expected: readonly string[] = []): void {
    const name = `${this.name}#${(this.#count += 1)} ${what}`;
    this.calls.add(name);
    this.#journal.note(name);
    const ended = (how: string, problem: boolean): void => {
      this.calls.delete(name);
      if (!this.alive) return;
      if (problem) this.#journal.report(`${name} failed with ${how}`);
      else this.#journal.note(`${name}: ${how}`);
    };
    work(name).then(
      () => ended('done', false),
      (error: unknown) => {
        const how = isLockError(error) ? error.code : String(error);
        ended(how, !usual.has(how) && !expected.includes(how));
      },
    );
  }

  /** Nothing of it runs any more. */
  crash(): void {
    this.#disturb('crashes', Infinity);
    this.alive = false;
    this.calls.clear();
    this.runtime.crash();
  }

  /** Its event loop is blocked for `ms`. */
  block(ms: number): void {
    this.#disturb(`is blocked for ${ms} ms`, ms);
    this.runtime.stall(ms);
  }

  /** Its machine sleeps for `ms`. */
  sleep(ms: number): void {
    this.#disturb(`sleeps for ${ms} ms`, ms);
    this.asleepUntil = this.#journal.store.time + ms;
    this.runtime.sleep(ms);
  }

  /** Its network carries nothing for `ms`. */
  cut(ms: number): void {
    // It shows later, as a call without an answer and the pause after it.
    this.#disturb(`is cut off for ${ms} ms`, ms + 1_000);
    this.network.cutUntil = this.#journal.store.time + ms;
  }

  /** Its wall clock is set `ms` ahead. */
  step(ms: number): void {
    this.#disturb(`sets its wall clock by ${ms} ms`, 0);
    this.runtime.stepWallClock(ms);
  }

  #disturb(what: string, ms: number): void {
    this.#journal.note(`${this.name} ${what}`);
    this.disturbedUntil = Math.max(this.disturbedUntil, this.#journal.store.time + ms);
  }
}
