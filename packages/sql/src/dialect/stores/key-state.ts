import type { Holder, KeyState, Mode, Waiter } from '@locks/core';

/** A row of the statement `inspect`. */
export interface StateRow {
  /**
   * The mode of a holder. `shared waiter`, `exclusive waiter`: one of the first 100 in the queue,
   * whose token is its position. `waiters`: the token of this row is the length of the queue.
   */
  readonly mode: string;
  readonly owner: string;
  /** For holders and waiters in shared mode; 0: any number. */
  readonly permits: number;
  readonly token: bigint;
  /** In ms. */
  readonly remaining: number;
}

/** The state of `key`, from the rows of one moment, in any order. */
export function toKeyState(key: string, rows: readonly StateRow[]): KeyState {
  const holders: Holder[] = [];
  const places: { readonly place: bigint; readonly waiter: Waiter }[] = [];
  let waiters = 0;
  for (const { mode, owner, permits: number, token, remaining } of rows) {
    const permits = number > 0 ? { permits: number } : {};
    if (mode === 'waiters') waiters = Number(token);
    else if (mode.endsWith(' waiter'))
      places.push({
        place: token,
        waiter: { owner, mode: mode === 'shared waiter' ? 'shared' : 'exclusive', ...permits },
      });
    else holders.push({ owner, mode: mode as Mode, ...permits, token, remaining });
  }
  if (places.length === 0) return { key, holders, waiters };
  const sorted = places.toSorted((left, right) => (left.place < right.place ? -1 : 1));
  return { key, holders, waiters, queue: sorted.map(({ waiter }) => waiter) };
}
