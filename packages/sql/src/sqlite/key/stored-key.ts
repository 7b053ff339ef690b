import { emptyRecord } from '@locks/core/adapter';
import type { Hold, KeyRecord, Place, Terms } from '@locks/core/adapter';
import { numberOf, numberOrNone, textOf } from '../connection/connection.ts';
import type { Row } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import { hasEnded } from '../host/process.ts';

/** A claim in line says with which process it waits. */
type StoredPlace = Place<string>;

/** What the row of a key has. Times are µs. */
interface Columns {
  version: number;
  /** The exclusive holder. */
  owner: string | null;
  /** The latest end of a hold; `null`: there is none. */
  held_until: number | null;
  /** The owner that was given the key in line, and had no answer with it yet. */
  assigned_to: string | null;
  /** No place lapses after it; `null`: there is none. */
  line_until: number | null;
  /** No place lapses before it. */
  next_lapse: number | null;
}

/** A call on a key. */
export interface KeyUse {
  readonly key: string;
  /** Of the claim. */
  readonly owner: string;
  /** When, in µs. */
  readonly now: number;
}

/**
 * What the tables have of one key, read and written in one transaction, as the rules of core take
 * it. Of the line these need the first two places, as the first may go with this call, and the
 * place of the owner. So no call reads a long line whole. Times of the record are ms.
 */
export class StoredKey {
  readonly record: KeyRecord<string>;
  /** Its claim had a place in line. */
  readonly waited: boolean;
  /** How long the head's place lasts without a sign of life, in ms. */
  readonly headLasts: number;
  readonly #session: Session;
  readonly #key: string;
  readonly #now: number;
  readonly #read: Columns;
  readonly #columns: Columns;

  constructor(session: Session, { key, owner, now }: KeyUse) {
    this.#session = session;
    this.#key = key;
    this.#now = now;
    this.#read = this.#readColumns();
    this.#columns = { ...this.#read };
    this.#purgeLine();
    const places = this.#columns.line_until === null ? [] : this.#readPlaces(owner, []);
    this.waited = places.some((place) => textOf(place['owner']) === owner);
    this.headLasts = numberOf(places[0]?.['lasts']) / 1_000;
    const token = this.#read.version;
    this.record = { ...emptyRecord<string>(), token };
    const holds = this.#readHolds(token);
    if (holds.length > 0) this.record.holds = holds;
    if (places.length > 0) this.record.line = places.map(placeOf);
  }

  /** Lets a place in line lapse earlier. To be called before `save`. */
  hastenLapse(owner: string, deadline: number): void {
    const columns = this.#columns;
    this.#session.run('hastenLapse', { key: this.#key, owner, deadline });
    columns.next_lapse = Math.min(columns.next_lapse ?? deadline, deadline);
  }

  /** Writes what a call has made of the record. Gives whether a claim took a place. */
  save(after: KeyRecord<string>): boolean {
    const columns = this.#columns;
    const [first] = after.holds;
    columns.version = after.token;
    columns.owner = first?.mode === 'exclusive' ? first.owner : null;
    columns.assigned_to = first?.assigned === true ? first.owner : null;
    columns.held_until = first === undefined ? null : Math.max(...after.holds.map(({ until }) => toStored(until)));
    this.#saveShares(after.holds);
    const taken = this.#saveLine(after.line);
    if (changed(this.#read, columns)) this.#session.run('writeKey', { key: this.#key, ...columns, now: this.#now });
    return taken;
  }

  #readColumns(): Columns {
    const row = this.#session.row('readKey', { key: this.#key });
    return {
      version: numberOf(row === undefined ? this.#session.row('readSwept')?.['swept'] : row['version']),
      owner: textOf(row?.['owner']) || null,
      held_until: numberOrNone(row?.['held_until']) ?? null,
      assigned_to: textOf(row?.['assigned_to']) || null,
      line_until: numberOrNone(row?.['line_until']) ?? null,
      next_lapse: numberOrNone(row?.['next_lapse']) ?? null,
    };
  }

  #readHolds(token: number): Hold[] {
    const { owner, held_until: until, assigned_to: assignedTo } = this.#read;
    if (until === null) return [];
    if (owner !== null) {
      return [{ owner, ...termsOf(undefined), token, until: until / 1_000, assigned: owner === assignedTo }];
    }
    const rows = this.#session.rows('readShares', { key: this.#key, now: this.#now });
    return rows.map((row) => ({
      owner: textOf(row['owner']),
      ...termsOf(numberOf(row['permits'])),
      token: numberOf(row['token']),
      until: numberOf(row['expires']) / 1_000,
      assigned: false,
    }));
  }

  /** A head whose process has ended is passed over. */
  #readPlaces(owner: string, ended: readonly string[]): readonly Row[] {
    const parameters = { key: this.#key, owner, ended: JSON.stringify(ended) };
    const places = this.#session.rows('readPlaces', parameters);
    const heads = textOf(places[0]?.['owner']) === owner ? places.slice(0, 2) : places.slice(0, 1);
    const gone = heads.map((head) => textOf(head['process'])).filter(hasEnded);
    return gone.length === 0 ? places : this.#readPlaces(owner, [...ended, ...gone]);
  }

  /** Drops the places that have lapsed, wherever they stand. */
  #purgeLine(): void {
    const columns = this.#columns;
    if (columns.next_lapse === null || columns.next_lapse > this.#now) return;
    this.#session.run('purgeLine', { key: this.#key, now: this.#now });
    const line = this.#session.row('readLine', { key: this.#key });
    columns.next_lapse = numberOrNone(line?.['first']) ?? null;
    columns.line_until = numberOrNone(line?.['last']) ?? null;
  }

  #saveShares(holds: readonly Hold[]): void {
    const key = this.#key;
    const { owner, held_until: until } = this.#read;
    const before = new Map(this.record.holds.map((hold) => [hold.owner, hold]));
    for (const hold of holds) {
      const known = before.get(hold.owner);
      before.delete(hold.owner);
      if (hold.mode === 'exclusive' || (known?.mode === 'shared' && !changed(known, hold))) continue;
      const share = { token: hold.token, permits: permitsOf(hold) ?? 0, until: toStored(hold.until) };
      this.#session.run('writeShare', { key, owner: hold.owner, ...share });
    }
    for (const gone of before.values())
      if (gone.mode === 'shared') this.#session.run('removeShare', { key, owner: gone.owner });
    // Those that have expired were not read.
    if (owner === null && until !== null) this.#session.run('purgeShares', { key, now: this.#now });
  }

  #saveLine(line: readonly StoredPlace[]): boolean {
    const key = this.#key;
    const columns = this.#columns;
    let taken = false;
    const before = new Map(this.record.line.map((place) => [place.owner, place]));
    for (const place of line) {
      const known = before.get(place.owner);
      before.delete(place.owner);
      if (known !== undefined && !changed(known, place)) continue;
      const deadline = toStored(place.until);
      const { owner, contact } = place;
      const terms = {
        permits: permitsOf(place) ?? null,
        ttl: toStored(place.ttl),
        floor: place.floor === undefined ? null : Number(place.floor),
      };
      const row = { key, owner, process: contact, ...terms, now: this.#now, deadline };
      this.#session.run(known === undefined ? 'takePlace' : 'keepPlace', row);
      taken ||= known === undefined;
      columns.line_until = Math.max(columns.line_until ?? 0, deadline);
      columns.next_lapse = Math.min(columns.next_lapse ?? Infinity, deadline);
    }
    if (before.size === 0) return taken;
    for (const owner of before.keys()) this.#session.run('leaveLine', { key, owner });
    if (line.length === 0 && this.#session.row('hasPlaces', { key }) === undefined) {
      columns.line_until = null;
      columns.next_lapse = null;
    }
    return taken;
  }
}

function placeOf(row: Row): StoredPlace {
  return {
    owner: textOf(row['owner']),
    ...termsOf(numberOrNone(row['permits'])),
    contact: textOf(row['process']),
    until: numberOf(row['deadline']) / 1_000,
    ttl: numberOf(row['ttl']) / 1_000,
    floor: row['floor'] === null ? undefined : BigInt(numberOf(row['floor'])),
  };
}

/** Of the permits in the tables: 0 is any number. */
function termsOf(permits: number | undefined): Terms {
  if (permits === undefined) return { mode: 'exclusive', permits };
  return { mode: 'shared', permits: permits === 0 ? undefined : permits };
}

function permitsOf({ mode, permits = 0 }: Readonly<Terms>): number | undefined {
  return mode === 'shared' ? permits : undefined;
}

function toStored(until: number): number {
  return Math.round(until * 1_000);
}

function changed<T extends object>(before: T, after: T): boolean {
  return (Object.keys(after) as (keyof T)[]).some((name) => before[name] !== after[name]);
}
