import type { Condition } from './conditions.ts';
import type { Context } from './context/context.ts';
import type { Need } from './faults/faults.ts';

/**
 * `provider`: what the contract demands of an adapter. `locks`: what users of `createLocks` get
 * with it.
 */
export type Level = 'provider' | 'locks';

/**
 * What a requirement is about. Variants of a provider select by it what they implement differently,
 * as another client library does with `connection`, `close` and `wake`.
 */
export type Subject =
  // What a provider declares.
  | 'declaration'
  // The two functions of a store with a conditional write.
  | 'record'
  // Holds: their owners and tokens, when they begin, change and end.
  | 'exclusion'
  | 'repeat'
  | 'release'
  | 'expiry'
  | 'renewal'
  | 'sharing'
  | 'token'
  | 'names'
  // The queue: its waiters and their order, and how a waiter is notified.
  | 'queue'
  | 'order'
  | 'wake'
  // What a store shows, and what it keeps besides locks.
  | 'inspection'
  | 'register'
  // The life of a provider, its connections, and its server.
  | 'close'
  | 'connection'
  | 'outage'
  | 'restart'
  // What users of `createLocks` have.
  | 'lease'
  | 'loss'
  | 'object';

/** One rule of the contract, and how to check whether a provider keeps it. */
export interface Requirement {
  /** Stable, in kebab case: for reports, `only` and bug reports. */
  readonly id: string;
  /** How binding it is. */
  readonly level: Level;
  /** The part of the contract that it belongs to. */
  readonly about: Subject;
  /** One sentence that is true of every conforming provider. */
  readonly title: string;
  /** The providers to which it applies: those that satisfy all of these. */
  readonly when: readonly Condition[];
  /** What else the check needs. Missing: the requirement is unverified. */
  readonly needs?: readonly Need[];
  /** Rejects if the provider violates it, with what was expected and what happened. */
  check(context: Context): Promise<void>;
}
