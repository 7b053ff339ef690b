import { AssertionError } from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/**
 * `sleep` is for requirements about time itself; all others wait for a condition. `turn` is one of
 * the event loop.
 */
export { sleep, turn };

/** Monotonic ms. */
export function now(): number {
  return performance.now();
}

/** Sleeps until `now()` has reached `moment`: a timer may fire a fraction of a ms early. */
export async function sleepUntil(moment: number): Promise<void> {
  for (let left = moment - now(); left > 0; left = moment - now()) await sleep(Math.ceil(left));
}

/**
 * Measures for how long this process did not run, from `since` on. Each call returns the longest
 * time between two calls so far, in ms, without what the process `meant` to wait.
 */
export function standstill(since: number = now()): (meant?: number) => number {
  let last = since;
  let longest = 0;
  return (meant = 0) => {
    const at = now();
    longest = Math.max(longest, at - last - meant);
    last = at;
    return longest;
  };
}

/** `promise`, whose rejection is no event: it is awaited later, or the check has failed before. */
export function inBackground<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The result of `promise`, or a failure after `limit` ms that names what was awaited. */
export async function within<T>(limit: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AssertionError({ message: `expected ${what} within ${Math.round(limit)} ms; it did not happen` }));
    }, limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Repeats `probe` until `accepts` its answer, for at most `limit` ms. Fails with the last answer.
 */
export async function eventually<T>(
  limit: number,
  what: string,
  probe: () => T | Promise<T>,
  accepts: (answer: T) => boolean,
): Promise<T> {
  const deadline = now() + limit;
  for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
    const answer = await probe();
    if (accepts(answer)) return answer;
    if (now() >= deadline) {
      const seen = inspect(answer, { depth: 5, breakLength: Infinity });
      throw new AssertionError({ message: `expected ${what} within ${Math.round(limit)} ms; at last it was ${seen}` });
    }
    await sleep(pause);
  }
}

/** The part of a duration that two clocks of ms resolution agree on. */
export function certain(duration: number): number {
  return duration * 0.99 - 2;
}
