import type { Turn } from '../../dialect/stores/lock-store.ts';
import { numberOf, numberOrNone, textOf } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import { hasEnded } from '../host/process.ts';

/** The first in line whose process is not known to have ended. */
export interface Head extends Turn {
  /** 0: any number; `undefined`: it wants the key exclusively. */
  readonly permits: number | undefined;
  /** When its place lapses. */
  readonly deadline: number;
  /** How long it lasts without a repeat. */
  readonly lasts: number;
}

/** The line of one key, read and written in one transaction. Times are µs. */
export class KeyLine {
  readonly #session: Session;
  readonly #key: string;
  #until: number | undefined;
  #nextLapse: number | undefined;
  #changed = false;
  /** Those that have ended: their places count no more. */
  readonly #ended: string[] = [];

  /** `until` and `nextLapse` as the row of the key has them. */
  constructor(session: Session, key: string, until: number | undefined, nextLapse: number | undefined) {
    this.#session = session;
    this.#key = key;
    this.#until = until;
    this.#nextLapse = nextLapse;
  }

  /** When its last place lapses; `undefined`: the line is empty. */
  get until(): number | undefined {
    return this.#until;
  }

  /** No place lapses before this time. */
  get nextLapse(): number | undefined {
    return this.#nextLapse;
  }

  /** Whether the row of the key has to say something else. */
  get changed(): boolean {
    return this.#changed;
  }

  head(): Head | undefined {
    if (this.#until === undefined) return undefined;
    const row = this.#session.row('headOfLine', { key: this.#key, ended: JSON.stringify(this.#ended) });
    if (row === undefined) return undefined;
    const process = textOf(row['process']);
    if (hasEnded(process)) {
      this.#ended.push(process);
      return this.head();
    }
    return {
      owner: textOf(row['owner']),
      process,
      permits: numberOrNone(row['permits']),
      deadline: numberOf(row['deadline']),
      lasts: numberOf(row['lasts']),
    };
  }

  /** The permits that waiters other than `owner` want to share the key with. */
  permitsOfOthers(owner: string): number | undefined {
    if (this.#until === undefined) return undefined;
    return numberOrNone(this.#session.row('permitsInLine', { key: this.#key, owner })?.['permits']);
  }

  /** Keeps the place that `owner` has, or takes the last one; whether it took one. */
  keepPlace({ owner, process }: Turn, permits: number | undefined, now: number, deadline: number): boolean {
    const place = { key: this.#key, owner, process, permits: permits ?? null, now, deadline };
    const kept = this.#session.row('keepPlace', place) !== undefined;
    if (!kept) this.#session.run('takePlace', place);
    this.#until = Math.max(this.#until ?? 0, deadline);
    this.#nextLapse = Math.min(this.#nextLapse ?? Infinity, deadline);
    this.#changed = true;
    return !kept;
  }

  /** Keeps the places of `owners`. */
  keepOthers(owners: readonly string[], now: number, deadline: number): void {
    if (owners.length === 0 || this.#until === undefined) return;
    this.#session.run('keepOthers', { key: this.#key, owners: JSON.stringify(owners), now, deadline });
    this.#until = Math.max(this.#until, deadline);
    this.#changed = true;
  }

  /** Lets the place of the head lapse at `deadline`. */
  hastenLapse({ owner }: Head, deadline: number): void {
    this.#session.run('hastenLapse', { key: this.#key, owner, deadline });
    this.#nextLapse = Math.min(this.#nextLapse ?? deadline, deadline);
    this.#changed = true;
  }

  leave(owner: string): void {
    if (this.#until === undefined) return;
    this.#session.run('leaveLine', { key: this.#key, owner });
    if (this.#session.row('readLine', { key: this.#key })?.['last'] !== null) return;
    this.#until = undefined;
    this.#nextLapse = undefined;
    this.#changed = true;
  }

  /** Drops the places that have lapsed. */
  purge(now: number): void {
    if (this.#nextLapse === undefined || this.#nextLapse > now) return;
    this.#session.run('purgeLine', { key: this.#key, now });
    const line = this.#session.row('readLine', { key: this.#key });
    this.#nextLapse = numberOrNone(line?.['first']);
    this.#until = numberOrNone(line?.['last']);
    this.#changed = true;
  }
}
