import { LockError, upgradeRefused } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { Attempt, Queue, StoreOptions } from '../dialect/stores/lock-store.ts';
import type { MysqlConnection } from './connection/connection.ts';
import type { Answer, Procedure } from './procedure.ts';

/** Attempts that the procedure of one key decides. */
export class Attempts {
  readonly #procedure: Procedure;
  readonly #options: StoreOptions;

  constructor(procedure: Procedure, options: StoreOptions) {
    this.#procedure = procedure;
    this.#options = options;
  }

  async attempt(
    connection: MysqlConnection,
    claim: Claim,
    queue: Queue | undefined,
    repeated: boolean,
  ): Promise<Attempt> {
    const answer = await this.#procedure.act(connection, 'acquire', claim, claim.floor ?? 0n, queue, repeated);
    const attempt = attemptOf(claim, answer);
    if (attempt instanceof LockError) throw attempt;
    return { ...attempt, missing: answer.missing };
  }

  /** First attempts of exclusive claims on one key, with one ttl and one floor. */
  async enterAll(connection: MysqlConnection, claims: readonly Claim[]): Promise<readonly (Attempt | LockError)[]> {
    const [first, ...rest] = claims as readonly [Claim, ...Claim[]];
    const { process, waiterTtl } = this.#options;
    const queue = { process, others: [], joining: rest.map(({ owner }) => owner) };
    const answer = await this.#procedure.act(connection, 'acquire', first, first.floor ?? 0n, queue);
    const entered = attemptOf(first, answer);
    const refresh = Math.floor(waiterTtl / 3);
    // The next in the queue looks when the hold ends.
    const looks = answer.outcome === 'granted' ? first.ttl : refresh;
    const behind = { token: undefined, retryAfter: Math.min(refresh, looks), turns: [] };
    const attempts = [entered];
    for (const claim of rest) {
      attempts.push(answer.missing.includes(claim.owner) ? await this.#alone(connection, claim) : behind);
    }
    return attempts;
  }

  async #alone(connection: MysqlConnection, claim: Claim): Promise<Attempt | LockError> {
    try {
      return await this.attempt(connection, claim, { process: this.#options.process, others: [] }, false);
    } catch (error) {
      if (error instanceof LockError) return error;
      throw error;
    }
  }
}

function attemptOf(claim: Claim, { outcome, answer, turns }: Answer): Attempt | LockError {
  switch (outcome) {
    case 'granted':
      return { token: BigInt(answer), turns };
    case 'busy':
      return { token: undefined, retryAfter: Number(answer), turns };
    case 'upgrade':
      return upgradeRefused(claim);
    default:
      throw new Error(`the procedure answered ${outcome}`);
  }
}
