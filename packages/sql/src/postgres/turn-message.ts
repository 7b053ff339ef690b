import type { Assignment } from '@locks/core/adapter';

/** What a message to a process says. */
export interface TurnMessage {
  /** '': of no claim. */
  readonly owner: string;
  /** The key was given to the owner. Otherwise its turn has come, and it is to try. */
  readonly assigned: Assignment | undefined;
}

/**
 * A plain message is an owner. That of an assignment, which the routines write, begins with a queue
 * feed, as no owner does. Its last number says when the owner gave its last sign of life. From
 * there its place lasted for `validity` at least, and the grant lasts as long as the place.
 */
export function readTurn(message: string): TurnMessage {
  const [, token, validity, sentAt, owner] = /^\n(\d+) (\d+) (\d+) ([^]*)$/.exec(message) ?? [];
  if (token === undefined || owner === undefined) return { owner: message, assigned: undefined };
  return { owner, assigned: { token: BigInt(token), validity: Number(validity), sentAt: Number(sentAt) } };
}
