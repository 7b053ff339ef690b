import type { Claim } from '@locks/core';
import type { FoundTurn } from '@locks/core/adapter';
import type { Queue, Turn } from '../dialect/stores/lock-store.ts';
import { processOf } from '../dialect/stores/process-name.ts';
import type { MysqlConnection, Row } from './connection/connection.ts';
import { nameOf, textOf } from './connection/session.ts';
import { hex, micros } from './encoding.ts';
import type { Listening } from './listen.ts';
import type { PreparedStatements } from './prepared-statements.ts';
import type { statements } from './statements.ts';
import type { ToldTurns } from './told-turns.ts';

interface Parts {
  readonly process: string;
  readonly waiterTtl: number;
  readonly prepared: PreparedStatements<keyof typeof statements>;
  readonly listening: Listening;
  readonly told: ToldTurns;
}

/** The answer of the procedure of one key. */
export interface Answer {
  readonly outcome: string;
  readonly answer: string;
  readonly turns: readonly Turn[];
  /** Other claims that are not in the queue, and further ones that did not join it. */
  readonly missing: readonly string[];
}

/** What a claim that will wait sends with an attempt. */
interface Joined extends Queue {
  /** The owners of further claims that join the queue behind it. */
  readonly joining?: readonly string[];
}

/** Calls the procedure that decides about one key, and wakes the claim whose turn it is. */
export type Act = (
  connection: MysqlConnection,
  act: 'acquire' | 'renew' | 'release',
  claim: Claim,
  token: bigint | undefined,
  queue?: Joined,
  repeated?: boolean,
) => Promise<Answer>;

export function createAct({ process, waiterTtl, prepared, listening, told }: Parts): Act {
  /** The turns that the procedure has found. It has woken other processes. */
  function turnsOf(row: Row): readonly Turn[] {
    const { turn_process: session, turn_owner: owner, turn_token: token, turn_span: span, kept_owner: kept } = row;
    const turns: Turn[] = [];
    if (owner !== null) {
      const turn = { process: processOf(nameOf(session)), owner: textOf(owner), assigned: assignedOf(token, span) };
      turns.push(turn);
      if (turn.process === process) told.tell(turn.owner);
    }
    if (kept !== null) turns.push({ process, owner: textOf(kept) });
    return turns;
  }

  return async (connection, act, claim, token, queue, repeated = false) => {
    const { key, owner, ttl, mode, permits = 0 } = claim;
    const [row] = await prepared.rows(connection, 'act', [
      act,
      hex(key),
      owner,
      micros(ttl),
      token === undefined ? null : `${token}`,
      mode === 'shared' ? `${permits}` : null,
      act === 'release' || queue !== undefined ? listening.name : null,
      micros(waiterTtl),
      listOf(queue?.others),
      listOf(queue?.joining),
      repeated ? '1' : '0',
      prepared.longestWait(act === 'acquire' ? ttl : undefined),
    ]);
    if (row === undefined) throw new Error('the procedure answered nothing');
    return {
      outcome: textOf(row['outcome']),
      answer: textOf(row['answer']),
      turns: turnsOf(row),
      missing: row['missing'] === null ? [] : textOf(row['missing']).split(',').map(fromHex),
    };
  };
}

function listOf(owners: readonly string[] = []): string | null {
  return owners.length === 0 ? null : owners.map(hex).join(',');
}

function fromHex(text: string): string {
  return Buffer.from(text, 'hex').toString();
}

/** The grant of the first in the queue. `undefined`: it must try. */
export function assignedOf(token: unknown, span: unknown): FoundTurn['assigned'] {
  return token === null ? undefined : { token: BigInt(textOf(token)), validity: Number(textOf(span)) / 1_000 };
}
