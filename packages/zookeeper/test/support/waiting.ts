import type { LockProvider } from '@locks/core';

/**
 * Repeats `probe` until it answers with something, and says what was waited for when it does not in
 * time.
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
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** `provider`, which also does `then` when it is closed. */
export function closing(provider: LockProvider, then: () => Promise<void> | void): LockProvider {
  const close = provider.close.bind(provider);
  provider.close = async () => {
    await close();
    await then();
  };
  return provider;
}

/** All that `list` yields. */
export async function collect<T>(source: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
