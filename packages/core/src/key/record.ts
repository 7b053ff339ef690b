import type { Mode } from '../contract.ts';
import { noClaims } from './by-owner.ts';

/** How a claim has a key, or wants it. */
export interface Terms {
  /** Alone, or together with other shared claims. */
  mode: Mode;
  /** Shared: granted while fewer than so many share the key. `undefined`: any number. */
  permits: number | undefined;
}

/** A claim that has the key. */
export interface Hold extends Terms {
  /** The owner of the claim. */
  readonly owner: string;
  /** Its fencing token. */
  token: number;
  /** When it ends. */
  until: number;
  /** The store gave it the key while it was in the queue, and answered no attempt with that yet. */
  assigned: boolean;
}

/** A claim in the queue. */
export interface Place<Contact> extends Readonly<Terms> {
  /** The owner of the claim. */
  readonly owner: string;
  /** How its process hears of its turn. The latest one counts. */
  contact: Contact;
  /** When the place lapses, unless the claim is repeated. */
  until: number;
  /** Of the latest attempt, for a store that assigns the key. */
  ttl: number;
  /** Of the latest attempt: the token of the grant exceeds it. */
  floor: bigint | undefined;
}

/** All that a store has to keep of one key: plain data. Times are ms of one clock. */
export interface KeyRecord<Contact = unknown> {
  /** The highest token that was minted or told. */
  token: number;
  /** One exclusive hold, or shared ones. */
  holds: Hold[];
  /** First come, first served. An owner that holds the key is not in it. */
  queue: Place<Contact>[];
  /** No place lapses before it, so most calls look at no place. */
  lapse: number;
}

/** The record of a key that no claim has used. */
export function emptyRecord<Contact>(): KeyRecord<Contact> {
  return { token: 0, holds: noClaims, queue: noClaims, lapse: 0 };
}

/** The same content in another record. */
export function copyRecord<Contact>({ token, holds, queue, lapse }: KeyRecord<Contact>): KeyRecord<Contact> {
  return { token, holds: holds.map((hold) => ({ ...hold })), queue: queue.map((place) => ({ ...place })), lapse };
}

/** Whether no claim holds the key or waits for it. */
export function isIdle({ holds, queue }: KeyRecord): boolean {
  return holds.length === 0 && queue.length === 0;
}

/** Drops what has expired: holds, and places anywhere in the queue. */
export function purge(record: KeyRecord, now: number): void {
  for (const { until } of record.holds) {
    if (until > now) continue;
    record.holds = record.holds.filter((hold) => hold.until > now);
    break;
  }
  if (record.queue.length === 0 || now < record.lapse) return;
  record.queue = record.queue.filter((place) => place.until > now);
  record.lapse = earliest(record.queue, 0);
}

/** When the first of `list` ends. With an empty list: `none`. */
export function earliest(list: readonly { readonly until: number }[], none: number): number {
  let first = list.length === 0 ? none : Infinity;
  for (const { until } of list) if (until < first) first = until;
  return first;
}
