import type { LockProvider, Traits } from '@locks/core';
import type { Context } from './context/context.ts';
import type { Need } from './faults/faults.ts';

/**
 * `provider`: what the contract demands of an adapter. `locks`: what users of `createLocks` get
 * with it.
 */
export type Level = 'provider' | 'locks';

/** One rule of the contract, and how to find out whether a provider keeps it. */
export interface Requirement {
  /** Stable, in kebab case: what reports, `only` and bug reports name. */
  readonly id: string;
  /** How binding it is. */
  readonly level: Level;
  /** One sentence that is true of every provider that conforms. */
  readonly title: string;
  /** Whether a provider with these traits (and optional methods) must keep it. */
  appliesTo(traits: Traits, provider: LockProvider): boolean;
  /** What else the check needs. Missing: the requirement is unverified. */
  readonly needs?: readonly Need[];
  /** Rejects if the provider breaks it, with what was expected and what happened. */
  check(context: Context): Promise<void>;
}
