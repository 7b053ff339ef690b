import type { LockProvider } from '@locks/core';
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

/** A sound provider behind something that gets it wrong. */
export function wrapped(wrap: (inner: LockProvider) => Partial<LockProvider>): () => () => LockProvider {
  return () => {
    const store: Store = new Map();
    return () => {
      const inner = createTextbook(store);
      return { ...inner, ...wrap(inner) };
    };
  };
}
