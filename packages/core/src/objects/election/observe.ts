import type { KeyState } from '../../contract.ts';
import { isLockError, isPermanent } from '../../errors/lock-error.ts';
import { printAs, withJson } from '../../leases/hold/printed.ts';
import type { AcquisitionHost } from '../../leases/acquire/acquisition-host.ts';
import type { Closable } from '../../leases/ending/linked-set.ts';
import type { LockState } from '../../lock-state.ts';
import { checkKey } from '../../options/key.ts';
import type { ReadOptions } from '../../options/read-options.ts';
import { labelOf } from '../../text/label-of.ts';
import { pause } from '../../time/pause.ts';
import type { Leader, Leadership } from './election.ts';
import { usual } from './options.ts';
import type { LeadershipOptions } from './options.ts';

/** What observers and candidates need from their client. */
export type ElectionHost = Pick<AcquisitionHost, 'runtime' | 'provider' | 'acquisitions'>;

/** Polls the holders of a key. */
export class Observer implements Leadership {
  static {
    printAs('Leadership', Observer.prototype);
  }

  readonly key: string;
  readonly #host: ElectionHost;
  readonly #inspect: (key: string) => Promise<LockState>;
  readonly #poll: number;
  readonly #signal: AbortSignal | undefined;

  constructor(
    host: ElectionHost,
    inspect: (key: string) => Promise<LockState>,
    key: string,
    { poll = usual, signal }: ReadOptions<LeadershipOptions>,
  ) {
    checkKey(key);
    this.key = key;
    this.#host = host;
    this.#inspect = inspect;
    this.#poll = poll;
    this.#signal = signal;
  }

  async inspect(): Promise<LockState> {
    return await this.#inspect(this.key);
  }

  async leader(): Promise<Leader | null> {
    return leaderIn(await this.#inspect(this.key));
  }

  toJSON(): Pick<Leadership, 'key'> {
    return { key: this.key };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Leader | null, void> {
    const changes = new Changes(this.#host.provider.traits.fencing !== 'none');
    const { runtime, acquisitions } = this.#host;
    const closed = new AbortController();
    const close: Closable['close'] = (reason) => closed.abort(reason);
    const closable: Closable = { setPrevious: undefined, setNext: undefined, close };
    const signal = AbortSignal.any([closed.signal, ...(this.#signal === undefined ? [] : [this.#signal])]);
    for (;;) {
      this.#signal?.throwIfAborted();
      try {
        const state = await this.#inspect(this.key);
        const leader = leaderIn(state);
        // The votes of a claim that others reject briefly look like a lease.
        if (changes.isNew(leader, state.members !== undefined)) yield leader;
      } catch (error) {
        if (isLockError(error, 'LOCK_CLOSED')) return;
        if (isPermanent(error)) throw error;
        // The leader is unknown, which is no change.
      }
      acquisitions.add(closable);
      await pause(runtime, this.#poll, { signal });
      acquisitions.delete(closable);
    }
  }
}

/** Tells new answers from repeated and outdated ones. */
class Changes {
  readonly #ordered: boolean;
  /** What was reported, and what the previous look found. */
  #last: Leader | null | undefined = undefined;
  #before: Leader | null | undefined = undefined;
  #highest = 0n;

  constructor(ordered: boolean) {
    this.#ordered = ordered;
  }

  /** `twice`: a leader counts when two looks in a row found it. */
  isNew(leader: Leader | null, twice: boolean): boolean {
    const repeated = isSame(leader, this.#before);
    this.#before = leader;
    if (isSame(leader, this.#last)) return false;
    if (leader === null) {
      // Some members of a quorum may be briefly silent. Two looks in a row are a change.
      if (this.#last !== undefined && !repeated) return false;
    } else {
      if (twice && !repeated) return false;
      const token = this.#ordered ? leader.token : undefined;
      if (token !== undefined && token < this.#highest) return false;
      this.#highest = token ?? this.#highest;
    }
    this.#last = leader;
    return true;
  }
}

function isSame(one: Leader | null, other: Leader | null | undefined): boolean {
  return one === null ? other === null : one.owner === other?.owner;
}

function leaderIn({ holders }: KeyState): Leader | null {
  const holder = holders.find(({ mode }) => mode === 'exclusive');
  if (holder === undefined) return null;
  return withJson({ owner: holder.owner, label: labelOf(holder.owner), token: holder.token });
}
