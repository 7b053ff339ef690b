import type { Assignment, FoundTurn } from '@locks/core/adapter';

/** What a message to a process says. */
export interface TurnMessage {
  /** '': of no claim. */
  readonly owner: string;
  /** The key was given to the owner. Otherwise its turn has come, and it is to try. */
  readonly assigned: Assignment | undefined;
}

/**
 * Says that `owner` was given the key. `sent`: when it gave its last sign of life, as its process
 * said. The grant came after that, so it lasts at least for its validity from there.
 */
export function assignmentMessage(
  owner: string,
  { token, validity }: NonNullable<FoundTurn['assigned']>,
  sent: string,
): string {
  return `\n${token} ${validity} ${sent} ${owner}`;
}

/**
 * A plain message is an owner. One of an assignment begins with a line feed, as no owner does.
 */
export function readTurn(message: string): TurnMessage {
  const [, token, validity, sentAt, owner] = /^\n(\d+) (\d+) (\d+) ([^]*)$/.exec(message) ?? [];
  if (token === undefined || owner === undefined) return { owner: message, assigned: undefined };
  return { owner, assigned: { token: BigInt(token), validity: Number(validity), sentAt: Number(sentAt) } };
}
