import type { Assignment } from '@locks/core/adapter';

/** What a message of the scripts says: see `assign` and `wakeHead` in `lua/algorithm.lua`. */
export interface Turn {
  readonly owner: string;
  /** The key was granted to the owner. Otherwise its turn has come, and it is to try. */
  readonly assigned: Assignment | undefined;
}

/**
 * A plain message is an owner. One of an assignment begins with a line feed, as no owner does. The
 * assigned hold lasts for as long as the place would have, `waiterTtl`, if its ttl is not less.
 */
export function readTurn(message: string, waiterTtl: number): Turn {
  const [, token, ttl, sentAt, owner] = /^\n(\d+) (\d+) (\d+) ([^]*)$/.exec(message) ?? [];
  if (token === undefined || owner === undefined) return { owner: message, assigned: undefined };
  return {
    owner,
    assigned: { token: BigInt(token), sentAt: Number(sentAt), validity: Math.min(Number(ttl), waiterTtl) },
  };
}
