import { LockError } from '../../errors/lock-error.ts';
import { createDeferred } from '../../time/deferred.ts';
import type { Deferred } from '../../time/deferred.ts';
import type { Clock } from '../../time/clock.ts';
import type { Deadline } from '../deadline.ts';
import type { QueuedClaim } from './queued-claim.ts';

/** After this part of the timeout, a call without an answer no longer delays those behind it. */
const silence = 1 / 2;

/** The most keys kept without a call in progress. More use more memory. */
const keptKeys = 1_000;

const tooLate = 'The attempt was not sent: earlier calls of this process took too long.';

/** Resolves when the call can be sent. @throws `LOCK_UNAVAILABLE` at `end`, by the clock. */
export type Turn = (end: number) => Promise<void>;

interface Arrival {
  readonly mine: QueuedClaim;
  /** It only refreshes claims in the queue. Otherwise it is the first call of its claim. */
  readonly keeps: boolean;
  /** When it could be sent, by the clock. */
  startedAt: number | undefined;
  turn: Deferred | undefined;
  /** Of the first one: those behind it, started ones first. */
  behind: Arrival[] | undefined;
}

/**
 * The first calls on each key, in order of arrival, and the calls that refresh others: one at a
 * time, as each may wait for the key in the backend. `together`: this many first calls sent in one
 * tick are decided in their order, if they ask for the same.
 */
export class Arrivals {
  readonly #together: number;
  readonly #deadline: Deadline;
  readonly #clock: Clock;
  /**
   * The first call on each key, which has started. Most calls are alone. The key stays when its
   * last call ends: a `Map` with churning entries allocates a new table every few calls, and an old
   * table keeps all later ones in memory.
   */
  #first = new Map<string, Arrival | undefined>();
  #most = keptKeys;

  constructor(together: number, deadline: Deadline, clock: Clock) {
    this.#together = together;
    this.#deadline = deadline;
    this.#clock = clock;
  }

  first(key: string): QueuedClaim | undefined {
    return this.#first.get(key)?.mine;
  }

  /** `undefined`: it can be sent now. Otherwise a function that waits for that. */
  arrive(mine: QueuedClaim, keeps: boolean, now: number): Turn | undefined {
    const { key } = mine.claim;
    const first = this.#first.get(key);
    const arrival: Arrival = { mine, keeps, startedAt: undefined, turn: undefined, behind: undefined };
    if (first === undefined) {
      arrival.startedAt = now;
      this.#first.set(key, arrival);
      if (this.#first.size > this.#most) this.#forget();
      return undefined;
    }
    first.behind ??= [];
    const { behind } = first;
    // Positions lapse. One call refreshes a hundred of them.
    const before = keeps ? behind.findIndex(({ startedAt }) => startedAt === undefined) : -1;
    behind.splice(before === -1 ? behind.length : before, 0, arrival);
    this.#start(first);
    if (arrival.startedAt !== undefined) return undefined;
    const turn = createDeferred();
    arrival.turn = turn;
    return (end) => this.#wait(turn.promise, key, end);
  }

  /** Whether several calls for `key` are undecided. */
  areSeveral(key: string): boolean {
    return (this.#first.get(key)?.behind?.length ?? 0) > 0;
  }

  /** It is decided, sent in order, or abandoned: those behind it continue. */
  pass(mine: QueuedClaim): void {
    const first = this.#first.get(mine.claim.key);
    if (first?.mine === mine) {
      this.#passFirst(first);
      return;
    }
    const index = first?.behind?.findIndex((arrival) => arrival.mine === mine) ?? -1;
    if (first === undefined || index === -1) return;
    first.behind?.splice(index, 1)[0]?.turn?.resolve();
    this.#start(first);
  }

  /** Returns the claims of the first calls. */
  close(): readonly QueuedClaim[] {
    const all = [...this.#first.values()].filter((first) => first !== undefined);
    this.#first.clear();
    for (const { behind = [] } of all) for (const { turn } of behind) turn?.resolve();
    return all.map(({ mine }) => mine);
  }

  async #wait(turn: Promise<void>, key: string, end: number): Promise<void> {
    const silent = this.#deadline.timeout * silence;
    for (;;) {
      const now = this.#clock.now();
      if (now >= end) throw unsent(key, tooLate);
      const before = Math.min(end, (this.#first.get(key)?.startedAt ?? now) + silent);
      try {
        return await this.#deadline.race(turn, 'the calls before it', Math.max(1, before - now));
      } catch {
        const since = this.#clock.now() - silent;
        let first = this.#first.get(key);
        for (; first?.startedAt !== undefined && first.startedAt <= since; first = this.#first.get(key))
          this.#passFirst(first);
      }
    }
  }

  #passFirst({ mine, behind }: Arrival): void {
    const next = behind?.shift();
    this.#first.set(mine.claim.key, next);
    if (next === undefined) return;
    next.behind = behind;
    this.#start(next);
  }

  #forget(): void {
    this.#first = new Map([...this.#first].filter(([, first]) => first !== undefined));
    this.#most = keptKeys + 2 * this.#first.size;
  }

  #start(first: Arrival): void {
    const now = this.#clock.now();
    let room = 0;
    if (first.startedAt === undefined) {
      room = this.#together - 1;
      start(first, now);
    }
    for (const arrival of first.behind ?? []) {
      if (arrival.startedAt !== undefined) continue;
      if (!isBeside(first, arrival) && (room <= 0 || !isLike(first, arrival))) return;
      room -= 1;
      start(arrival, now);
    }
  }
}

function start(arrival: Arrival, now: number): void {
  arrival.startedAt = now;
  arrival.turn?.resolve();
}

/** Readers do not exclude each other, so their order does not matter. */
function isBeside(first: Arrival, arrival: Arrival): boolean {
  return isReader(first) && isReader(arrival);
}

function isReader({ keeps, mine: { claim } }: Arrival): boolean {
  return !keeps && claim.mode === 'shared' && claim.permits === undefined;
}

/** Whether both enter the queue and ask for the same. */
function isLike(first: Arrival, { keeps, mine: { claim } }: Arrival): boolean {
  if (first.keeps || keeps) return false;
  const { mode, ttl, floor } = first.mine.claim;
  return mode === 'exclusive' && claim.mode === mode && claim.ttl === ttl && claim.floor === floor;
}

export function unsent(key: string, message: string): LockError {
  return new LockError('LOCK_UNAVAILABLE', message, { key, sent: false });
}
