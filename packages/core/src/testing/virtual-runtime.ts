import { createClock } from '../time/clock.ts';
import type { Clock } from '../time/clock.ts';
import { outsideContext } from '../time/outside-context.ts';
import type { Runtime, TimerHandle } from '../time/runtime.ts';
import { createRandom } from './random.ts';

/** Options of a virtual runtime. */
export interface VirtualRuntimeOptions {
  /** Of its randomness. @default 1 */
  readonly seed?: number;
  /**
   * The constant result of `random`, instead of numbers from the seed.
   * @default numbers from the seed
   */
  readonly random?: number;
  /**
   * Another runtime with which this one shares its time: two processes in one world.
   * @default a separate time
   */
  readonly with?: VirtualRuntime;
  /** How fast its clock and timers run: 1.001 gains one ms per second. @default 1 */
  readonly rate?: number;
}

const longestDelay = 2 ** 31 - 1;

/**
 * A runtime whose time moves only when a test advances it: option `runtime` of `createLocks`,
 * `openLocks` and `createMemoryStore`. Its clock is core's own over virtual sources, so that a
 * suspension is noticed as on a real machine.
 */
export class VirtualRuntime implements Runtime {
  /** Core's own clock, over the virtual time. */
  readonly clock: Clock;
  /** Until this time of the shared timeline its event loop is blocked, by `stall` or `sleep`. */
  busyUntil: number = -Infinity;
  readonly #timeline: Timeline;
  /** How fast its clock and timers run. */
  readonly rate: number;
  readonly #random: () => number;
  #slept = 0;
  #frozen = 0;
  #stepped = 0;
  #ended = false;

  constructor(options: VirtualRuntimeOptions = {}) {
    const { seed = 1, random, rate = 1 } = options;
    this.#timeline = options.with === undefined ? new Timeline() : options.with.#timeline;
    this.rate = rate;
    this.#random = random === undefined ? createRandom(seed) : () => random;
    this.clock = createClock({
      monotonic: () => this.time,
      sinceBoot: () => 50_000 + this.time + this.#slept,
      wall: () => 1_700_000_000_000 + this.time + this.#slept + this.#stepped,
      origin: 1_700_000_000_000,
    });
  }

  /** For how long its machine has been awake, in ms of its own clock. */
  get time(): number {
    return this.#timeline.now * this.rate - this.#frozen;
  }

  /** How many timers are pending. */
  get pendingTimers(): number {
    return this.#own().length;
  }

  /** How many pending timers keep the process alive. */
  get keepAliveTimers(): number {
    return this.#own().filter((timer) => timer.keepAlive).length;
  }

  setTimer(callback: () => void, delay: number, keepAlive: boolean): TimerHandle {
    // As Node: whole ms, at least 1, and too long ones fire early.
    const ms = Math.max(1, Math.trunc(Math.min(delay, longestDelay)));
    const timer = {
      at: this.#timeline.now + ms / this.rate,
      owner: this,
      callback: () => outsideContext(callback),
      keepAlive,
    };
    if (!this.#ended) this.#timeline.timers.add(timer);
    return timer;
  }

  /** Cancels a timer of `setTimer`. No effect on one that fired. */
  clearTimer(timer: TimerHandle): void {
    this.#timeline.timers.delete(timer as VirtualTimer);
  }

  keepAlive(timer: TimerHandle, keep: boolean): void {
    (timer as VirtualTimer).keepAlive = keep;
  }

  random(): number {
    return this.#random();
  }

  uniqueId(): string {
    this.#timeline.ids += 1;
    return `id${this.#timeline.ids}`;
  }

  /** Advances time by `ms`, for all runtimes that share it, and runs everything that follows. */
  advance(ms: number): Promise<void> {
    return this.#timeline.advance(ms);
  }

  /** Time passes immediately, and no timer of any runtime fires before the next `advance`. */
  block(ms: number): void {
    this.#timeline.now += ms;
  }

  /**
   * The event loop of this runtime is blocked for `ms` from now. Its timers are late, others are
   * not.
   */
  stall(ms: number): void {
    this.busyUntil = Math.max(this.busyUntil, this.#timeline.now + ms);
  }

  /**
   * The machine was suspended for `ms`. Its monotonic clock and its timers stood still; all other
   * clocks continued.
   */
  suspend(ms: number): void {
    this.#slept += ms;
  }

  /** The machine of this runtime sleeps for `ms` from now; others continue. */
  sleep(ms: number): void {
    this.stall(ms);
    this.#frozen += ms * this.rate;
    this.#slept += ms * this.rate;
    for (const timer of this.#own()) timer.at += ms;
  }

  /** An operator sets the wall clock. */
  stepWallClock(ms: number): void {
    this.#stepped += ms;
  }

  /** The process dies: nothing of it runs any more. */
  crash(): void {
    this.#ended = true;
    for (const timer of this.#own()) this.#timeline.timers.delete(timer);
  }

  #own(): VirtualTimer[] {
    return [...this.#timeline.timers].filter((timer) => timer.owner === this);
  }
}

/** Creates a runtime in virtual time. */
export function createVirtualRuntime(options?: VirtualRuntimeOptions): VirtualRuntime {
  return new VirtualRuntime(options);
}

interface VirtualTimer {
  at: number;
  readonly owner: VirtualRuntime;
  readonly callback: () => void;
  keepAlive: boolean;
}

/** Virtual time, shared by its runtimes. It moves only when a test calls `advance`. */
class Timeline {
  /** In ms. */
  now = 1_000;
  ids = 0;
  readonly timers: Set<VirtualTimer> = new Set();

  /** Advances time, timer by timer, and runs everything that follows from one before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    await drained();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.now = Math.max(this.now, timer.at, timer.owner.busyUntil);
      this.timers.delete(timer);
      timer.callback();
      await drained();
    }
    this.now = Math.max(this.now, end);
    await drained();
  }

  #next(end: number): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    let earliest = end;
    for (const timer of this.timers) {
      const at = Math.max(timer.at, timer.owner.busyUntil);
      if (at > earliest || (at === earliest && next !== undefined && timer.at >= next.at)) continue;
      next = timer;
      earliest = at;
    }
    return next;
  }
}

/**
 * Resolves when no promise callback is pending: Node takes its next tick after the last of them.
 */
function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
