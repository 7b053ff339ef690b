import type { Assignment, FoundTurn } from '@locks/core/adapter';
import type { Turn } from '../dialect/stores/lock-store.ts';
import { processOf } from '../dialect/stores/process-name.ts';
import type { PgConnection, Reply } from './connection/connection.ts';
import type { PreparedStatements } from './prepared-statements.ts';
import type { statements } from './statements.ts';

type Row = Reply['rows'][number];

/**
 * Reads what an answer tells of the first in the queue: the columns of "locks_turn". A process
 * other than this one gets a message.
 */
export function createTurnReader(
  prepared: PreparedStatements<keyof typeof statements>,
  process: string,
): (connection: PgConnection, columns: Row) => Promise<readonly Turn[]> {
  return async (connection, [session, owner, token, span, message, kept]) => {
    const turns: Turn[] = [];
    if (typeof session === 'string' && typeof owner === 'string') {
      const turn = { process: processOf(session), owner, assigned: assignedOf(token, span) };
      turns.push(turn);
      // The procedure of a release has told it, and answers no message.
      if (typeof message === 'string' && turn.process !== process) {
        // A claim that is not told asks at its own pace.
        await prepared.ask(connection, 'tell', session, message).catch(() => []);
      }
    }
    if (typeof kept === 'string') turns.push({ process, owner: kept });
    return turns;
  };
}

/** What the first in the queue was given. `undefined`: it has to try. */
export function assignedOf(token: Row[number] | undefined, span: Row[number] | undefined): FoundTurn['assigned'] {
  return typeof token === 'string' ? { token: BigInt(token), validity: Number(span) } : undefined;
}

interface TurnMessage {
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
