import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `probe` until it resolves to a value, and returns that. Rejects after `limit` ms, naming
 * `what` the test waited for.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  limit = 10_000,
): Promise<T> {
  const end = performance.now() + limit;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`Waited ${limit} ms in vain for ${what}.`);
    await delay(5);
  }
}

/** Repeats `call` while it rejects, for `limit` ms at most, and returns what it resolves to. */
export async function untilAnswered<T>(what: string, call: () => Promise<T>, limit?: number): Promise<T> {
  const answer = async (): Promise<{ readonly value: T }> => ({ value: await call() });
  const { value } = await eventually(what, () => answer().catch(() => undefined), limit);
  return value;
}
