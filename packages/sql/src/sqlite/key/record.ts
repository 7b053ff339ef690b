import { numberOf, numberOrNone, textOf } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import { KeyLine } from './line.ts';
import { Shares } from './shares.ts';

/**
 * The state of one key, read and written in one transaction, and the rules of admission. These are
 * the directed hand-off queue of the memory provider. Expired holds and lapsed places are gone from
 * the start. Times are µs.
 */
export class KeyRecord {
  readonly key: string;
  readonly now: number;
  readonly line: KeyLine;
  /** The highest token ever minted or told. */
  version: number;
  /** The exclusive holder. */
  owner: string | undefined;
  readonly #session: Session;
  readonly #shares: Shares;
  /** The latest expiry of any holder. */
  #heldUntil: number | undefined;
  #changed = false;

  constructor(session: Session, key: string, now: number) {
    this.#session = session;
    this.key = key;
    this.now = now;
    const row = session.row('readKey', { key });
    this.version = numberOf(row === undefined ? session.row('readSwept')?.['swept'] : row['version']);
    this.owner = textOf(row?.['owner']) || undefined;
    this.#heldUntil = numberOrNone(row?.['held_until']);
    this.#shares = new Shares(session, key);
    this.line = new KeyLine(session, key, numberOrNone(row?.['line_until']), numberOrNone(row?.['next_lapse']));
    this.line.purge(now);
    this.#purgeHolders();
  }

  /**
   * Whether the holders leave room for one more claim with these permits: negative where others may
   * have another number.
   */
  admits(permits: number | undefined): boolean {
    if (this.#heldUntil === undefined) return true;
    if (this.owner !== undefined || permits === undefined) return false;
    return permits === 0 || this.#shares.number < Math.abs(permits);
  }

  /**
   * The permits fixed by the shared holders, or by other waiters for a share. `undefined`: there
   * are none.
   */
  fixedPermits(owner: string): number | undefined {
    const { number, permits } = this.#shares;
    // Negative: none of them fixes a number.
    return number > 0 && permits !== undefined && permits >= 0 ? permits : this.line.permitsOfOthers(owner);
  }

  /** When time alone ends a hold; `undefined`: the key is free. */
  earliestExpiry(): number | undefined {
    return this.#shares.first ?? this.#heldUntil;
  }

  /** The token of the share of `owner`. */
  shareOf(owner: string): number | undefined {
    return this.#shares.tokenOf(owner);
  }

  /**
   * A token above all earlier ones, and not below `least`. `undefined` at 2^53, where numbers end:
   * the next one is the same.
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
    this.#shares.write(owner, token, permits, until);
    this.#sharesChanged();
  }

  /** Restarts the ttl of the share of `owner`, with this token. */
  extendShare(owner: string, token: number, until: number): void {
    this.share(owner, token, this.#shares.permits ?? 0, until);
  }

  /** Gives up what `owner` holds; whether it held something. */
  free(owner: string): boolean {
    if (this.owner === owner) {
      this.#end();
      return true;
    }
    if (this.shareOf(owner) === undefined) return false;
    this.#shares.remove(owner);
    this.#sharesChanged();
    return true;
  }

  /** Writes the row, if there is anything new in it. */
  save(): void {
    if (!this.#changed && !this.line.changed) return;
    this.#session.run('writeKey', {
      key: this.key,
      version: this.version,
      owner: this.owner ?? null,
      held_until: this.#heldUntil ?? null,
      line_until: this.line.until ?? null,
      next_lapse: this.line.nextLapse ?? null,
      now: this.now,
    });
  }

  #purgeHolders(): void {
    if (this.#heldUntil === undefined) return;
    if (this.owner === undefined) {
      this.#shares.purge(this.now);
      this.#sharesChanged();
    } else if (this.#heldUntil <= this.now) {
      this.#end();
    }
  }

  /** Ends the exclusive hold. */
  #end(): void {
    this.owner = undefined;
    this.#heldUntil = undefined;
    this.#changed = true;
  }

  #sharesChanged(): void {
    this.#heldUntil = this.#shares.last;
    this.#changed = true;
  }
}
