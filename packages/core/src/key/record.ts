import type { Mode } from '../contract.ts';
import { noClaims } from './by-owner.ts';

/** How a claim holds or wants a key. */
export interface Terms {
  /** Alone, or together with other shared claims. */
  mode: Mode;
  /** Shared: the most holders. `undefined`: any number. */
  permits: number | undefined;
}

/** A claim that holds the key. */
export interface Hold extends Terms {
  /** The owner of the claim. */
  readonly owner: string;
  /** Its fencing token. */
  token: number;
  /** When it ends. */
  until: number;
  /** The store granted it the key in the queue, and no attempt has returned that yet. */
  assigned: boolean;
}

/** A claim in the queue. */
export interface Place<Contact> extends Readonly<Terms> {
  /** The owner of the claim. */
  readonly owner: string;
  /** How its process is notified. The latest one counts. */
  contact: Contact;
  /** When the position lapses, unless the claim is repeated. */
  until: number;
  /** Of the latest attempt, for a store that assigns the key. */
  ttl: number;
  /** Of the latest attempt: the token of the grant exceeds it. */
  floor: bigint | undefined;
}

/** All that a store keeps of one key: plain data. Times are ms of one clock. */
export interface KeyRecord<Contact = unknown> {
  /** The highest token that was minted or set. */
  token: number;
  /** One exclusive hold, or shared ones. */
  holds: Hold[];
  /** First come, first served. Holders are not in it. */
  queue: Place<Contact>[];
  /** No position lapses before it, so most calls scan none. */
  lapse: number;
}

/** The record of an unused key. */
export function emptyRecord<Contact>(): KeyRecord<Contact> {
  return { token: 0, holds: noClaims, queue: noClaims, lapse: 0 };
}

export function copyRecord<Contact>({ token, holds, queue, lapse }: KeyRecord<Contact>): KeyRecord<Contact> {
  return { token, holds: holds.map((hold) => ({ ...hold })), queue: queue.map((place) => ({ ...place })), lapse };
}

export function isIdle({ holds, queue }: KeyRecord): boolean {
  return holds.length === 0 && queue.length === 0;
}

/** Removes expired holds, and expired positions anywhere in the queue. */
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
