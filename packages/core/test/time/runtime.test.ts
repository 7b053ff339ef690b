import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../src/time/runtime.ts';
import { systemClock } from '../../src/time/system-clock.ts';

/** Resolves when a timer of the runtime has fired. */
function fired(delay: number): Promise<void> {
  return new Promise((resolve) => systemRuntime.setTimer(resolve, delay, true));
}

describe('the runtime of this process', () => {
  it.each([2 ** 31, 2 ** 40, Infinity])('does not fire a timer of %d ms at once', async (delay) => {
    let early = false;
    const timer = systemRuntime.setTimer(() => (early = true), delay, true);
    await fired(5);
    systemRuntime.clearTimer(timer);
    expect(early).toBe(false);
  });

  it('fires a timer that is due already', async () => {
    await fired(-1);
    await fired(0);
  });

  it('does not fire a timer that was cleared', async () => {
    let wrong = false;
    systemRuntime.clearTimer(systemRuntime.setTimer(() => (wrong = true), 1, true));
    await fired(5);
    expect(wrong).toBe(false);
  });

  it.each([true, false])('keeps the process alive with a timer, or not: %s', (keepAlive) => {
    const timer = systemRuntime.setTimer(() => {}, 1_000, keepAlive) as { readonly timeout: NodeJS.Timeout };
    expect(timer.timeout.hasRef()).toBe(keepAlive);
    systemRuntime.clearTimer(timer);
  });

  it('has ids that cannot be guessed, and jitter', () => {
    const ids = Array.from({ length: 100 }, () => systemRuntime.uniqueId());
    expect(new Set(ids).size).toBe(100);
    expect(ids.every((id) => /^[\w-]{16}$/.test(id))).toBe(true);
    const jitter = systemRuntime.random();
    expect(jitter >= 0 && jitter < 1).toBe(true);
  });

  it('has a clock that runs as that of the process, in ms', () => {
    // Tests with fake timers, which ran in this process before, have moved it.
    const ahead = systemClock.now() - performance.now();
    expect(ahead).toBeGreaterThan(-1);
    const before = performance.now();
    const [now, exact] = [systemClock.now(), systemClock.exact()];
    expect(systemRuntime.clock).toBe(systemClock);
    expect(now - before - ahead).toBeGreaterThan(-1);
    expect(exact).toBeGreaterThanOrEqual(now);
    expect(performance.now() - (exact - ahead)).toBeGreaterThan(-1);
    expect(systemClock.origin).toBe(performance.timeOrigin);
  });
});
