import type { StoreOptions } from './lock-store.ts';

const share = 1 / 16;

/**
 * Whether a release gives the key to the first in line. Without order (`fair: false`) the claims of
 * its own process come first. One release in sixteen keeps the order, so that a process which
 * always has waiters does not keep the key from the others.
 */
export function releasesInOrder({ fair, runtime }: StoreOptions): boolean {
  return fair || runtime.random() < share;
}
