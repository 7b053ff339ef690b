import { createClock } from '../../src/clock.ts';
import type { Clock } from '../../src/clock.ts';
import type { Runtime, TimerHandle } from '../../src/runtime.ts';

interface VirtualTimer {
  readonly at: number;
  readonly callback: () => void;
  readonly keepAlive: boolean;
}

const longestDelay = 2 ** 31 - 1;

/**
 * A runtime whose time moves only when a test moves it. Its clock is core's own, made from virtual sources, so that a
 * suspension is noticed the way it is on a real machine.
 */
export class VirtualRuntime implements Runtime {
  readonly clock: Clock;
  /** Fixed jitter; `undefined`: from the seed. */
  fixedRandom: number | undefined;
  #monotonic = 1_000;
  #slept = 0;
  #stepped = 0;
  readonly #timers = new Set<VirtualTimer>();
  #seed: number;
  #ids = 0;

  constructor(seed = 1, fixedRandom?: number) {
    this.#seed = seed;
    this.fixedRandom = fixedRandom;
    this.clock = createClock({
      monotonic: () => this.#monotonic,
      sinceBoot: () => 50_000 + this.#monotonic + this.#slept,
      wall: () => 1_700_000_000_000 + this.#monotonic + this.#slept + this.#stepped,
      origin: 1_700_000_000_000,
    });
  }

  /** Virtual ms that the process has been awake for. */
  get time(): number {
    return this.#monotonic;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Timers that would keep the process alive. */
  get keepAliveTimers(): number {
    return [...this.#timers].filter((timer) => timer.keepAlive).length;
  }

  setTimer(callback: () => void, delay: number, keepAlive: boolean): TimerHandle {
    // As Node: whole ms, at least 1, and too long ones fire early.
    const timer = { at: this.#monotonic + Math.max(1, Math.trunc(Math.min(delay, longestDelay))), callback, keepAlive };
    this.#timers.add(timer);
    return timer;
  }

  clearTimer(timer: TimerHandle): void {
    this.#timers.delete(timer as VirtualTimer);
  }

  random(): number {
    if (this.fixedRandom !== undefined) return this.fixedRandom;
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  uniqueId(): string {
    this.#ids += 1;
    return `id${this.#ids}`;
  }

  /** Moves time on, timer by timer, and lets everything that follows from one happen before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#monotonic = Math.max(this.#monotonic, timer.at);
      this.#timers.delete(timer);
      timer.callback();
      await settle();
    }
    this.#monotonic = Math.max(this.#monotonic, end);
    await settle();
  }

  /** Time passes while the event loop is blocked: no timer fires before the next `advance`. */
  block(ms: number): void {
    this.#monotonic += ms;
  }

  /** The machine sleeps: its monotonic clock and its timers stop, the world goes on. */
  suspend(ms: number): void {
    this.#slept += ms;
  }

  /** Somebody sets the wall clock. */
  stepWallClock(ms: number): void {
    this.#stepped += ms;
  }

  #next(end: number): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }
}

/** Lets all promises that can settle do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
