import { LockError } from '@locks/core/adapter';
import type { Clock } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { Attempt } from '../dialect/stores/lock-store.ts';

/** A statement for more claims keeps the row of the key from others for longer. */
const largest = 32;

/** How the attempts are made. Both settle `within` so many ms. */
export interface EntryCalls {
  /** Of one claim, which shows `others`. */
  alone(claim: Claim, others: readonly Claim[], within: number): Promise<Attempt>;
  /**
   * Of several exclusive claims with one ttl and one floor, in one statement. What became of each,
   * in their order.
   */
  together(claims: readonly Claim[], within: number): Promise<readonly (Attempt | LockError)[]>;
}

interface Entry {
  readonly claim: Claim;
  readonly others: readonly Claim[];
  /** When the caller must have its answer, by the clock. */
  readonly end: number;
  readonly resolve: (attempt: Attempt) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The first attempts of this process in line, and its signs of life: one statement at a time for
 * each key, as each would wait for the row, with a connection. First attempts that come meanwhile
 * go together in the next.
 */
export class Entries {
  readonly #calls: EntryCalls;
  readonly #timeout: number;
  readonly #clock: Clock;
  /** Those that wait for the statement under way, by key. */
  readonly #waiting = new Map<string, Entry[]>();

  /** `timeout`: how long an attempt may take, in ms. */
  constructor(calls: EntryCalls, timeout: number, clock: Clock) {
    this.#calls = calls;
    this.#timeout = timeout;
    this.#clock = clock;
  }

  /** With `others` it is a sign of life. `within`: in so many ms it settles. */
  enter(claim: Claim, others: readonly Claim[], within: number = this.#timeout): Promise<Attempt> {
    return new Promise((resolve, reject) => {
      const entry = { claim, others, end: this.#clock.now() + within, resolve, reject };
      const waiting = this.#waiting.get(claim.key);
      if (waiting === undefined) {
        this.#waiting.set(claim.key, []);
        void this.#send(claim.key, [entry]);
      } else if (others.length > 0) {
        // Places lapse. There is one such call for a hundred of them.
        waiting.unshift(entry);
      } else {
        waiting.push(entry);
      }
    });
  }

  /** The claim is given up. What was not sent yet is not sent any more. */
  leave({ key, owner }: Claim): void {
    const waiting = this.#waiting.get(key);
    const index = waiting?.findIndex(({ claim }) => claim.owner === owner) ?? -1;
    if (index === -1) return;
    for (const entry of waiting?.splice(index, 1) ?? []) {
      rejectUnsent(entry, 'The claim was given up before its attempt was sent.');
    }
  }

  async #send(key: string, entries: readonly Entry[]): Promise<void> {
    const [first] = entries as readonly [Entry];
    const within = Math.max(1, first.end - this.#clock.now());
    try {
      if (entries.length === 1) first.resolve(await this.#calls.alone(first.claim, first.others, within));
      else await this.#sendTogether(entries, within);
    } catch (error) {
      for (const { reject } of entries) reject(error);
    }
    this.#sendNext(key);
  }

  #sendNext(key: string): void {
    const waiting = this.#waiting.get(key) ?? [];
    const now = this.#clock.now();
    const inTime = waiting.findIndex(({ end }) => end > now);
    for (const entry of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) {
      rejectUnsent(entry, 'The claims of this process before it took too long, so its attempt was not sent.');
    }
    const [first] = waiting;
    if (first === undefined) {
      this.#waiting.delete(key);
      return;
    }
    const others = waiting.slice(0, largest).findIndex((entry) => !goTogether(first, entry));
    void this.#send(key, waiting.splice(0, others === -1 ? largest : Math.max(others, 1)));
  }

  async #sendTogether(entries: readonly Entry[], within: number): Promise<void> {
    const claims = entries.map(({ claim }) => claim);
    const attempts = await this.#calls.together(claims, within);
    for (const [index, attempt] of attempts.entries()) {
      if (attempt instanceof LockError) entries[index]?.reject(attempt);
      else entries[index]?.resolve(attempt);
    }
  }
}

function goTogether({ claim: one, others }: Entry, { claim: other, others: its }: Entry): boolean {
  const exclusive = one.mode === 'exclusive' && other.mode === 'exclusive';
  return exclusive && one.ttl === other.ttl && one.floor === other.floor && others.length + its.length === 0;
}

function rejectUnsent({ claim: { key }, reject }: Entry, message: string): void {
  reject(new LockError('LOCK_UNAVAILABLE', message, { key, sent: false }));
}
