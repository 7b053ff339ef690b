import type { Assignment, FoundTurn } from '@locks/core/adapter';
import type { Turn } from '../dialect/stores/lock-store.ts';
import { processOf } from '../dialect/stores/process-name.ts';
import type { PgConnection, Reply } from './connection/connection.ts';
import type { PreparedStatements } from './prepared-statements.ts';
import type { statements } from './statements.ts';

type Row = Reply['rows'][number];

/**
 * Reads the first in the queue from the columns of "locks_turn" of an answer. Sends other processes
 * a message.
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
      // The procedure of a release has notified it, and returns no message.
      if (typeof message === 'string' && turn.process !== process) {
        // A claim that is not notified polls.
        await prepared.ask(connection, 'tell', session, message).catch(() => []);
      }
    }
    if (typeof kept === 'string') turns.push({ process, owner: kept });
    return turns;
  };
}

/** The grant of the first in the queue. `undefined`: it must try. */
export function assignedOf(token: Row[number] | undefined, span: Row[number] | undefined): FoundTurn['assigned'] {
  return typeof token === 'string' ? { token: BigInt(token), validity: Number(span) } : undefined;
}

interface TurnMessage {
  /** '': of no claim. */
  readonly owner: string;
  /** The grant of the key to the owner. `undefined`: its turn has come, and it must try. */
  readonly assigned: Assignment | undefined;
}

/**
 * A plain message is an owner. That of an assignment, written by the routines, begins with a
 * newline, as no owner does. Its last number is the time of the owner's last attempt. From then on
 * its position lasted for at least `validity`, and the grant lasts as long as the position.
 */
export function readTurn(message: string): TurnMessage {
  const [, token, validity, sentAt, owner] = /^\n(\d+) (\d+) (\d+) ([^]*)$/.exec(message) ?? [];
  if (token === undefined || owner === undefined) return { owner: message, assigned: undefined };
  return { owner, assigned: { token: BigInt(token), validity: Number(validity), sentAt: Number(sentAt) } };
}
