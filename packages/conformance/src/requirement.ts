import type { Condition } from './conditions.ts';
import type { Context } from './context/context.ts';
import type { Need } from './faults/faults.ts';

/**
 * `provider`: what the contract demands of an adapter. `locks`: what users of `createLocks` get
 * with it.
 */
export type Level = 'provider' | 'locks';

/**
 * What a requirement is about. By it variants of a provider choose what they meet in a way of their
 * own, as another client library does with `connection`, `close` and `wake`.
 */
export type Subject =
  // What a provider declares.
  | 'declaration'
  // The two functions of a store with a conditional write.
  | 'record'
  // Holds: who has one, what it is called, when it begins, changes and ends.
  | 'exclusion'
  | 'repeat'
  | 'release'
  | 'expiry'
  | 'renewal'
  | 'sharing'
  | 'token'
  | 'names'
  // The queue: who is in it, in which order it is served, and how a waiter hears that it may try.
  | 'queue'
  | 'order'
  | 'wake'
  // What a store shows, and what it keeps beside locks.
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

/** One rule of the contract, and how to find out whether a provider keeps it. */
export interface Requirement {
  /** Stable, in kebab case: what reports, `only` and bug reports name. */
  readonly id: string;
  /** How binding it is. */
  readonly level: Level;
  /** The part of the contract that it belongs to. */
  readonly about: Subject;
  /** One sentence that is true of every provider that conforms. */
  readonly title: string;
  /** The providers that must keep it: those that satisfy all of these. */
  readonly when: readonly Condition[];
  /** What else the check needs. Missing: the requirement is unverified. */
  readonly needs?: readonly Need[];
  /** Rejects if the provider breaks it, with what was expected and what happened. */
  check(context: Context): Promise<void>;
}
