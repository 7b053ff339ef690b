import type { LockProvider } from '@locks/core';
import type { Mutant } from '../../support/mutants.ts';
import type { Link } from '../../support/link.ts';
import { clockMint, createNetwork, textbookData } from '../../support/network.ts';
import type { Network, NetworkOptions } from '../../support/network.ts';
import { createTextbook } from '../textbook.ts';
import type { Rules, Store } from '../textbook.ts';

/** A provider that is sound until something happens to its connection or to its store. */
export interface FaultFlaw extends Mutant {
  readonly make: () => Network;
  /**
   * The ttl to test with, in ms: a longer one where a machine that stands still would hide it.
   * @default 200
   */
  readonly ttl?: number;
}

/** A client that gets it wrong. */
export function client(
  wrap: (inner: LockProvider, link: Link) => Partial<LockProvider>,
  options: NetworkOptions = {},
): FaultFlaw['make'] {
  return () => createNetwork(textbookData(), { ...options, wrap });
}

/** A client whose connection is handled wrongly. */
export function connection(options: NetworkOptions, changes?: Partial<Rules>): FaultFlaw['make'] {
  return () => createNetwork(textbookData(changes), options);
}

/** A store that gets one decision wrong. */
export function store(changes: Partial<Rules>): FaultFlaw['make'] {
  return () => createNetwork(textbookData(changes));
}

/** A sound store behind something that gets it wrong, for all who reach it. */
export function server(wrap: (inner: LockProvider) => Partial<LockProvider>): FaultFlaw['make'] {
  return () =>
    createNetwork(() => {
      const sound = textbookData()();
      const change = wrap(sound.open());
      return {
        open() {
          const inner = sound.open();
          return { ...inner, ...change, close: inner.close };
        },
      };
    });
}

/** A store that does not keep everything on disk. */
export function forgetful(
  forget: (store: Store) => void,
  changes: Partial<Rules> = { mint: clockMint },
): FaultFlaw['make'] {
  return () =>
    createNetwork(() => {
      const kept: Store = new Map();
      return { open: () => createTextbook(kept, changes), restarted: () => forget(kept) };
    });
}
