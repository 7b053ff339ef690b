import type { Claim } from '@locks/core';
import type { Deadline } from '@locks/core/adapter';
import { queueIn, readsOfClaims } from './queue.ts';
import type { KeyQueue } from './queue.ts';
import type { Keys } from './keys.ts';
import type { Members } from '../connection/members.ts';
import { txn } from '../wire/calls.ts';

/** The result of reading a hold. */
export interface HoldRead {
  readonly queue: KeyQueue;
  /** The raft term of the answer. */
  readonly term: string;
}

interface Pending {
  readonly claim: Pick<Claim, 'key' | 'owner'>;
  /** In ms. */
  readonly within: number;
  readonly patience: number;
  readonly resolve: (read: HoldRead) => void;
  readonly reject: (error: unknown) => void;
}

/** The most reads in one transaction. etcd allows 128 operations. */
const largest = 100;
/** The most such transactions in flight. Fewer make larger ones, and wait longer. */
const atOnce = 4;

/**
 * Reads holds in batches: a process with thousands of leases reads one with each renewal. Reads
 * requested during a transaction go into the next one. Batching per tick is not enough: each
 * renewal is answered in its own tick, and 2 000 leases then sent 11 times as many reads.
 */
export class HoldReads {
  readonly #members: Members;
  readonly #keys: Keys;
  readonly #deadline: Deadline;
  readonly #waiting: Pending[] = [];
  #underWay = 0;

  constructor(members: Members, keys: Keys, deadline: Deadline) {
    this.#members = members;
    this.#keys = keys;
    this.#deadline = deadline;
  }

  /** The hold or position of `claim`, and the base of tokens. */
  read(claim: Pick<Claim, 'key' | 'owner'>, within: number, patience: number): Promise<HoldRead> {
    const answer = new Promise<HoldRead>((resolve, reject) =>
      this.#waiting.push({ claim, within, patience, resolve, reject }),
    );
    this.#sendNext();
    return this.#deadline.race(answer, 'a read of a hold', within);
  }

  #sendNext(): void {
    if (this.#underWay >= atOnce || this.#waiting.length === 0) return;
    this.#underWay++;
    void this.#send(this.#waiting.splice(0, largest)).finally(() => {
      this.#underWay--;
      this.#sendNext();
    });
  }

  async #send(some: readonly Pending[]): Promise<void> {
    const keys = this.#keys;
    const names = some.map(({ claim: { key, owner } }) => keys.claim(key, owner));
    const success = readsOfClaims(keys, names);
    const within = Math.max(...some.map((one) => one.within));
    const patience = Math.min(...some.map((one) => one.patience));
    try {
      const request = { compare: [], success, failure: [] };
      const answer = await this.#members.call(txn, request, 'a read of a hold', { within, repeats: true, patience });
      const [base, ...claims] = answer.responses;
      for (const [index, { resolve, reject }] of some.entries()) {
        const responses = [base, claims[index]].filter((response) => response !== undefined);
        try {
          resolve({ queue: queueIn({ ...answer, responses }, keys), term: answer.header.raftTerm });
        } catch (error) {
          // Another program has written this value.
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
