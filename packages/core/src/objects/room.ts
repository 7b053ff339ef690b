import type { KeyState, Mode } from '../contract.ts';

/** So many shares of a key, or the whole key. */
export interface Share {
  readonly mode: Mode;
  /** At most so many hold it at once. `undefined`: unlimited. */
  readonly permits?: number | undefined;
  /** @default 1 */
  readonly count?: number;
}

/** Whether the holders in `state` leave room for `share`. Claims in the queue do not count. */
export function hasRoom(state: KeyState, { mode, permits = Infinity, count = 1 }: Share): boolean {
  return mode === 'exclusive' ? state.holders.length === 0 : freePermits(state, permits) >= count;
}

/** How many of `permits` no holder has. */
export function freePermits({ holders }: KeyState, permits: number): number {
  if (holders.some(({ mode }) => mode === 'exclusive')) return 0;
  return Math.max(0, permits - holders.length);
}
