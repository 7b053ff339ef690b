import { LockError } from '../../errors/lock-error.ts';
import { createDeferred } from '../../time/deferred.ts';
import type { Deferred } from '../../time/deferred.ts';
import type { Clock } from '../../time/clock.ts';
import type { Deadline } from '../deadline.ts';
import type { QueuedClaim } from './queued-claim.ts';

/** A call that is not answered after this part of the timeout holds up those behind it no more. */
const silence = 1 / 2;

const tooLate = 'The calls of this process before it took too long, so its attempt was not sent.';

/** Resolves when the call can be sent. @throws `LOCK_UNAVAILABLE` at `end`, by the clock. */
export type Wait = (end: number) => Promise<void>;

interface Arrival {
  readonly mine: QueuedClaim;
  /** It only shows claims that are in the queue. Otherwise it is the first call of its claim. */
  readonly keeps: boolean;
  /** When it could be sent, by the clock. */
  startedAt: number | undefined;
  turn: Deferred | undefined;
}

/**
 * The first calls on each key, in the order in which they came, and the calls that show others: one
 * at a time, as each may wait for the key in the backend. `together`: so many first calls that are
 * sent in one tick are decided in their order, if they ask for the same.
 */
export class Arrivals {
  readonly #together: number;
  readonly #deadline: Deadline;
  readonly #clock: Clock;
  /** Those that have started come first. */
  readonly #byKey = new Map<string, Arrival[]>();

  constructor(together: number, deadline: Deadline, clock: Clock) {
    this.#together = together;
    this.#deadline = deadline;
    this.#clock = clock;
  }

  /** `undefined`: it can be sent. Otherwise a wait for that. */
  arrive(mine: QueuedClaim, keeps: boolean, now: number): Wait | undefined {
    const { key } = mine.claim;
    const arrival: Arrival = { mine, keeps, startedAt: undefined, turn: undefined };
    const queue = this.#byKey.get(key);
    if (queue === undefined) {
      arrival.startedAt = now;
      this.#byKey.set(key, [arrival]);
      return undefined;
    }
    // Places lapse. One call keeps a hundred of them.
    const before = keeps ? queue.findIndex(({ startedAt }) => startedAt === undefined) : -1;
    queue.splice(before === -1 ? queue.length : before, 0, arrival);
    this.#start(queue);
    if (arrival.startedAt !== undefined) return undefined;
    const turn = createDeferred();
    arrival.turn = turn;
    return (end) => this.#wait(queue, turn.promise, { key, end });
  }

  /** Whether others came for its key, and are not decided yet. */
  hasCompany({ claim }: QueuedClaim): boolean {
    return this.#byKey.size > 0 && (this.#byKey.get(claim.key)?.length ?? 0) > 1;
  }

  /** It is decided, sent in order, or given up: those behind it go on. */
  pass(mine: QueuedClaim): void {
    const queue = this.#byKey.get(mine.claim.key);
    const index = queue?.findIndex((arrival) => arrival.mine === mine) ?? -1;
    if (queue !== undefined && index !== -1) this.#remove(queue, index);
  }

  close(): void {
    for (const queue of this.#byKey.values()) for (const { turn } of queue) turn?.resolve();
    this.#byKey.clear();
  }

  async #wait(queue: Arrival[], turn: Promise<void>, { key, end }: { key: string; end: number }): Promise<void> {
    const silent = this.#deadline.timeout * silence;
    for (;;) {
      const now = this.#clock.now();
      if (now >= end) throw unsent(key, tooLate);
      const before = Math.min(end, (queue[0]?.startedAt ?? now) + silent);
      try {
        return await this.#deadline.race(turn, 'the calls before it', Math.max(1, before - now));
      } catch {
        const since = this.#clock.now() - silent;
        while ((queue[0]?.startedAt ?? Infinity) <= since) this.#remove(queue, 0);
      }
    }
  }

  #remove(queue: Arrival[], index: number): void {
    const [gone] = queue.splice(index, 1);
    gone?.turn?.resolve();
    if (queue.length > 0) this.#start(queue);
    else if (gone !== undefined) this.#byKey.delete(gone.mine.claim.key);
  }

  #start(queue: readonly Arrival[]): void {
    const now = this.#clock.now();
    const first = queue[0];
    let room = first?.startedAt === undefined ? this.#together : 0;
    for (const arrival of queue) {
      if (arrival.startedAt !== undefined) continue;
      const goes = arrival === first || isBeside(first, arrival) || (room > 0 && isLike(first, arrival));
      if (!goes) return;
      room -= 1;
      arrival.startedAt = now;
      arrival.turn?.resolve();
    }
  }
}

/** Readers do not keep each other out, so their order means nothing. */
function isBeside(first: Arrival | undefined, arrival: Arrival): boolean {
  return first !== undefined && isReader(first) && isReader(arrival);
}

function isReader({ keeps, mine: { claim } }: Arrival): boolean {
  return !keeps && claim.mode === 'shared' && claim.permits === undefined;
}

/** Both enter the queue, and ask for the same. */
function isLike(first: Arrival | undefined, { keeps, mine: { claim } }: Arrival): boolean {
  if (first === undefined || first.keeps || keeps) return false;
  const { mode, ttl, floor } = first.mine.claim;
  return mode === 'exclusive' && claim.mode === mode && claim.ttl === ttl && claim.floor === floor;
}

export function unsent(key: string, message: string): LockError {
  return new LockError('LOCK_UNAVAILABLE', message, { key, sent: false });
}
