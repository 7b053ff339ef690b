/** Monotonic time in ms. No wall clock: a stepped system clock changes nothing. */
export interface Clock {
  /** Cheap: for sends and waits. May not have noticed a suspension of the machine yet. */
  now(): number;
  /**
   * Checks for a suspension first: for every decision that a lease is still held. Never less than
   * `now()`.
   */
  exact(): number;
  /**
   * Epoch ms at which `now()` was 0, read once: makes fencing tokens of different stores
   * comparable.
   */
  readonly origin: number;
}

/** The sources of a clock; injected by tests. */
export interface ClockSources {
  /** Monotonic ms that may stop while the machine is suspended. */
  monotonic(): number;
  /**
   * Ms since boot, suspension included, at a resolution of some 10 ms. `undefined`: unknown on this
   * platform.
   */
  sinceBoot(): number | undefined;
  /** The wall clock, in epoch ms: a hint to read `sinceBoot`. It decides nothing. */
  wall(): number;
  /** Epoch ms at which `monotonic()` was 0. */
  readonly origin: number;
}

const suspensionTolerance = 2_000;
const lookAtLeastEvery = 1_000;

/**
 * A monotonic clock that includes the time a suspended machine slept. `performance.now()` stops
 * during a suspension while the server's clock runs on, so a lease would look held after waking.
 * The reading since boot does not stop. If it has gained more than 2 s on the monotonic one, the
 * gain counts. That reading costs several µs, as it is a file of the kernel. So the clock takes it
 * every second, and when the wall clock has moved against the monotonic one, as it does over a
 * suspension.
 */
export function createClock(sources: ClockSources): Clock {
  const startMonotonic = sources.monotonic();
  const startBoot = sources.sinceBoot();
  let suspended = 0;
  let lastLook = startMonotonic;
  let lastHint = sources.wall() - startMonotonic;

  function look(monotonic: number, hint: number): void {
    lastLook = monotonic;
    lastHint = hint;
    const boot = sources.sinceBoot();
    if (startBoot === undefined || boot === undefined) return;
    const gained = boot - startBoot - (monotonic - startMonotonic);
    if (gained > suspended + suspensionTolerance) suspended = gained;
  }

  return {
    origin: sources.origin,
    now: () => sources.monotonic() + suspended,
    exact() {
      const monotonic = sources.monotonic();
      if (startBoot !== undefined) {
        const hint = sources.wall() - monotonic;
        if (Math.abs(hint - lastHint) > lookAtLeastEvery || monotonic - lastLook > lookAtLeastEvery)
          look(monotonic, hint);
      }
      return monotonic + suspended;
    },
  };
}
