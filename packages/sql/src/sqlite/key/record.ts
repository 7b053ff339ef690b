import type { Turn } from '../../dialect/lock-store.ts';
import { numberOf, numberOrNone, textOf } from '../connection.ts';
import type { Session } from '../session.ts';

/** The first in line. */
export interface Head extends Turn {
  /** 0: any number; `undefined`: it wants the key exclusively. */
  readonly permits: number | undefined;
  /** When its place lapses. */
  readonly deadline: number;
  /** How long it lasts without a sign of life. */
  readonly lasts: number;
}

/** What the shares of a key come to. */
interface Shares {
  readonly number: number;
  readonly permits: number | undefined;
  readonly first: number | undefined;
}

const noShares: Shares = { number: 0, permits: undefined, first: undefined };

/**
 * The state of one key, read and written in one transaction, and the rules of admission: protocol
 * 3, the directed hand-off queue, as in the memory provider. What has expired is gone from the
 * start. Times are µs.
 */
export class KeyRecord {
  readonly key: string;
  readonly now: number;
  /** The highest token ever minted or told. */
  version: number;
  /** The exclusive holder. */
  owner: string | undefined;
  readonly #session: Session;
  /** The latest expiry of any holder. */
  #heldUntil: number | undefined;
  #lineUntil: number | undefined;
  #nextLapse: number | undefined;
  #shares: Shares = noShares;
  #changed = false;

  constructor(session: Session, key: string, now: number) {
    this.#session = session;
    this.key = key;
    this.now = now;
    const row = session.row('readKey', { key });
    this.version = numberOf(row === undefined ? session.row('readSwept')?.['swept'] : row['version']);
    this.owner = textOf(row?.['owner']) || undefined;
    this.#heldUntil = numberOrNone(row?.['held_until']);
    this.#lineUntil = numberOrNone(row?.['line_until']);
    this.#nextLapse = numberOrNone(row?.['next_lapse']);
    this.#purge();
  }

  /** Whether the holders leave room for one more claim with these permits. */
  admits(permits: number | undefined): boolean {
    if (this.#heldUntil === undefined) return true;
    return this.owner === undefined && permits !== undefined && (permits === 0 || this.#shares.number < permits);
  }

  /**
   * The permits fixed by the shared holders, or by other waiters for a share. `undefined`: there
   * are none.
   */
  fixedPermits(owner: string): number | undefined {
    if (this.#shares.number > 0) return this.#shares.permits;
    if (this.#lineUntil === undefined) return undefined;
    return numberOrNone(this.#session.row('permitsInLine', { key: this.key, owner })?.['permits']);
  }

  head(): Head | undefined {
    if (this.#lineUntil === undefined) return undefined;
    const row = this.#session.row('headOfLine', { key: this.key });
    if (row === undefined) return undefined;
    return {
      owner: textOf(row['owner']),
      process: textOf(row['process']),
      permits: numberOrNone(row['permits']),
      deadline: numberOf(row['deadline']),
      lasts: numberOf(row['lasts']),
    };
  }

  /** Lets the place of the first in line lapse at `deadline`. */
  hastenLapse({ owner }: Head, deadline: number): void {
    this.#session.run('hastenLapse', { key: this.key, owner, deadline });
    this.#nextLapse = Math.min(this.#nextLapse ?? deadline, deadline);
    this.#changed = true;
  }

  /** When a place becomes free by time alone; `undefined`: the key is free. */
  earliestExpiry(): number | undefined {
    return this.#shares.first ?? this.#heldUntil;
  }

  /** The token of the share of `owner`. */
  shareOf(owner: string): number | undefined {
    if (this.#shares.number === 0) return undefined;
    return numberOrNone(this.#session.row('findShare', { key: this.key, owner })?.['token']);
  }

  /**
   * A token above all earlier ones, and not below `least`. `undefined` at 2^53, where numbers end: the
   * next one is the same.
   */
  mint(least: number): number | undefined {
    const token = Math.max(this.version + 1, least);
    if (token <= this.version) return undefined;
    this.version = token;
    return token;
  }

  /** Makes `owner` the exclusive holder, or restarts its ttl. */
  hold(owner: string, until: number): void {
    this.owner = owner;
    this.#heldUntil = until;
    this.#changed = true;
  }

  /** Gives `owner` a share, or restarts its ttl; an exclusive hold of its own becomes one. */
  share(owner: string, token: number, permits: number, until: number): void {
    this.owner = undefined;
    this.#session.run('writeShare', { key: this.key, owner, token, permits, until });
    this.#readShares();
  }

  /** Restarts the ttl of the share of `owner`, with this token. */
  extendShare(owner: string, token: number, until: number): void {
    this.share(owner, token, this.#shares.permits ?? 0, until);
  }

  /** Gives up what `owner` holds; whether it held something. */
  free(owner: string): boolean {
    if (this.owner === owner) {
      this.owner = undefined;
      this.#heldUntil = undefined;
      this.#changed = true;
      return true;
    }
    if (this.shareOf(owner) === undefined) return false;
    this.#session.run('removeShare', { key: this.key, owner });
    this.#readShares();
    return true;
  }

  /** Keeps the place it has in line, or takes the last one; whether it took one. */
  keepPlace({ owner, process }: Turn, permits: number | undefined, deadline: number): boolean {
    const place = { key: this.key, owner, process, permits: permits ?? null, now: this.now, deadline };
    const kept = this.#session.row('keepPlace', place) !== undefined;
    if (!kept) this.#session.run('takePlace', place);
    this.#lineUntil = Math.max(this.#lineUntil ?? 0, deadline);
    this.#nextLapse = Math.min(this.#nextLapse ?? Infinity, deadline);
    this.#changed = true;
    return !kept;
  }

  /** Keeps the places of `owners`. */
  keepOthers(owners: readonly string[], deadline: number): void {
    if (owners.length === 0 || this.#lineUntil === undefined) return;
    this.#session.run('keepOthers', { key: this.key, owners: JSON.stringify(owners), now: this.now, deadline });
    this.#lineUntil = Math.max(this.#lineUntil, deadline);
    this.#changed = true;
  }

  leaveLine(owner: string): void {
    if (this.#lineUntil === undefined) return;
    this.#session.run('leaveLine', { key: this.key, owner });
    if (this.head() !== undefined) return;
    this.#lineUntil = undefined;
    this.#nextLapse = undefined;
    this.#changed = true;
  }

  /** Writes the row, if there is anything new in it. */
  save(): void {
    if (!this.#changed) return;
    this.#session.run('writeKey', {
      key: this.key,
      version: this.version,
      owner: this.owner ?? null,
      held_until: this.#heldUntil ?? null,
      line_until: this.#lineUntil ?? null,
      next_lapse: this.#nextLapse ?? null,
      now: this.now,
    });
  }

  /** Drops what has expired. */
  #purge(): void {
    const { key, now } = this;
    if (this.#nextLapse !== undefined && this.#nextLapse <= now) {
      this.#session.run('purgeLine', { key, now });
      const line = this.#session.row('readLine', { key });
      this.#nextLapse = numberOrNone(line?.['first']);
      this.#lineUntil = numberOrNone(line?.['last']);
      this.#changed = true;
    }
    if (this.owner === undefined && this.#heldUntil !== undefined) {
      this.#session.run('purgeShares', { key, now });
      this.#readShares();
    } else if (this.#heldUntil !== undefined && this.#heldUntil <= now) {
      this.owner = undefined;
      this.#heldUntil = undefined;
      this.#changed = true;
    }
  }

  #readShares(): void {
    const row = this.#session.row('readShares', { key: this.key });
    this.#shares = {
      number: numberOf(row?.['number']),
      permits: numberOrNone(row?.['permits']),
      first: numberOrNone(row?.['first']),
    };
    this.#heldUntil = numberOrNone(row?.['last']);
    this.#changed = true;
  }
}
