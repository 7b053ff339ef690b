import type { Busy, Claim, Grant, KeyState, Renewal } from '../contract.ts';
import type { KeyRules, Refusal } from './admission.ts';
import { acquire, inspect, release, renew } from './calls.ts';
import type { Tell } from './calls.ts';
import { copyRecord } from './record.ts';
import type { KeyRecord, Place } from './record.ts';

/**
 * A call of a provider on one key. `contact`: the claim takes a position in the queue if it is
 * busy.
 */
export type KeyCall<Contact = unknown> =
  | {
      readonly op: 'acquire';
      /** The claim that wants the key. */
      readonly claim: Claim;
      /** How to wake it. Absent: it takes no position. */
      readonly contact?: Contact | undefined;
    }
  | {
      readonly op: 'renew';
      /** The claim that holds the key. */
      readonly claim: Claim;
      /** As in `renew` of the contract: the new token of the lease. */
      readonly token?: bigint | undefined;
    }
  | {
      readonly op: 'release';
      /** The claim that gives up the key, or its position. */
      readonly claim: Claim;
    }
  | { readonly op: 'inspect' };

/** The result of the contract's call. A refusal is `LOCK_INVALID` there. */
export type KeyAnswer = Grant | Busy | Refusal | Renewal | boolean | Omit<KeyState, 'key'>;

/** The effect of a call on a record. */
export interface KeyStep<Contact = unknown> {
  /** The record to write. */
  readonly record: KeyRecord<Contact>;
  /** The answer of the call. */
  readonly answer: KeyAnswer;
  /** The waiters whose turn it may be. */
  readonly wake: readonly Place<Contact>[];
}

/**
 * The rules of one key: the answer of a call at `now`, and the record after it. Does not change its
 * arguments.
 */
export function step<Contact>(
  before: KeyRecord<Contact>,
  call: KeyCall<Contact>,
  now: number,
  rules: KeyRules,
): KeyStep<Contact> {
  const record = copyRecord(before);
  const wake: Place<Contact>[] = [];
  const tell = (waiter: Place<Contact>): void => void wake.push(waiter);
  return { record, answer: apply(record, call, now, rules, tell), wake };
}

function apply<Contact>(
  record: KeyRecord<Contact>,
  call: KeyCall<Contact>,
  now: number,
  rules: KeyRules,
  tell: Tell<Contact>,
): KeyAnswer {
  switch (call.op) {
    case 'acquire':
      return acquire(record, call.claim, call.contact, now, rules, tell);
    case 'renew':
      return renew(record, call.claim, call.token, now, rules, tell);
    case 'release':
      return release(record, call.claim, now, rules, tell);
    case 'inspect':
      return inspect(record, now);
    default:
      return call satisfies never;
  }
}
