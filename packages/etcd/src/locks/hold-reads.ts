import type { Claim } from '@locks/core';
import type { Deadline } from '@locks/core/adapter';
import { queueIn, readsOfClaims } from './queue.ts';
import type { KeyQueue } from './queue.ts';
import type { Keys } from './keys.ts';
import type { Members } from '../connection/members.ts';
import { txn } from '../wire/calls.ts';

/** What a read of a hold has found. */
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

/** So many reads are one transaction at most. etcd takes 128 operations. */
const largest = 100;
/** So many of these transactions are under way at once. Fewer make larger ones, and wait longer. */
const atOnce = 4;

/**
 * Reads holds. A process with thousands of leases reads one with each renewal. Those that come
 * while others are read travel together. Those of one tick would be one: each renewal is answered
 * in a tick of its own, and 2 000 leases then sent 11 times as many reads.
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

  /** The hold, or the place, of `claim`, and the base of tokens. */
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
          // Another program has written to this one.
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
