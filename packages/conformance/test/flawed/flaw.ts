import type { KeyState, LockProvider } from '@locks/core';
import type { ConformanceOptions } from '@locks/conformance';
import type { Mutant } from '../support/mutants.ts';
import { createTextbook } from './textbook.ts';
import type { Rules, Store } from './textbook.ts';

/** A provider that breaks the contract in one way. */
export interface Flaw extends Mutant {
  /**
   * A fresh store, and how to make its providers; perhaps also those with the shortest settings.
   */
  readonly make: () => (() => LockProvider) | Required<Pick<ConformanceOptions, 'create' | 'createOther'>>;
  /** What else the run needs to see it. */
  readonly options?: () => Partial<ConformanceOptions>;
  /** It shows only where the event loop does nothing else, or holds it up. @default false */
  readonly alone?: boolean;
}

/** A textbook provider that gets one decision wrong. */
export function withRules(changes: Partial<Rules>): () => () => LockProvider {
  return () => {
    const store: Store = new Map();
    return () => createTextbook(store, changes);
  };
}

/**
 * A sound provider, but for `changes` of its rules, behind something that gets it wrong, and that
 * may look into its store.
 */
export function wrapped(
  wrap: (inner: LockProvider, store: Store) => Partial<LockProvider>,
  changes: Partial<Rules> = {},
): () => () => LockProvider {
  return () => {
    const store: Store = new Map();
    return () => {
      const inner = createTextbook(store, changes);
      return { ...inner, ...wrap(inner, store) };
    };
  };
}

/** Something that changes what `inspect` reports. */
export function shown(change: (state: KeyState) => KeyState): () => () => LockProvider {
  return wrapped((inner) => ({ inspect: async (key) => change(await inner.inspect(key)) }));
}
