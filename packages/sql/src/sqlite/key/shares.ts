import { numberOf, numberOrNone } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';

/** The shared holders of one key, read and written in one transaction. Times are µs. */
export class Shares {
  readonly #session: Session;
  readonly #key: string;
  #number = 0;
  #permits: number | undefined = undefined;
  #first: number | undefined = undefined;
  #last: number | undefined = undefined;

  /** None: `purge` reads them. */
  constructor(session: Session, key: string) {
    this.#session = session;
    this.#key = key;
  }

  get number(): number {
    return this.#number;
  }

  /** The permits that all of them were taken with; 0: any number. */
  get permits(): number | undefined {
    return this.#permits;
  }

  /** The earliest expiry. */
  get first(): number | undefined {
    return this.#first;
  }

  /** The latest expiry. */
  get last(): number | undefined {
    return this.#last;
  }

  /** The token of the share of `owner`. */
  tokenOf(owner: string): number | undefined {
    if (this.#number === 0) return undefined;
    return numberOrNone(this.#session.row('findShare', { key: this.#key, owner })?.['token']);
  }

  /** Adds a share, or restarts its ttl. */
  write(owner: string, token: number, permits: number, until: number): void {
    this.#session.run('writeShare', { key: this.#key, owner, token, permits, until });
    this.#read();
  }

  remove(owner: string): void {
    this.#session.run('removeShare', { key: this.#key, owner });
    this.#read();
  }

  /** Drops what has expired. */
  purge(now: number): void {
    this.#session.run('purgeShares', { key: this.#key, now });
    this.#read();
  }

  #read(): void {
    const row = this.#session.row('readShares', { key: this.#key });
    this.#number = numberOf(row?.['number']);
    this.#permits = numberOrNone(row?.['permits']);
    this.#first = numberOrNone(row?.['first']);
    this.#last = numberOrNone(row?.['last']);
  }
}
