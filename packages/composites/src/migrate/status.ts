import type { StoreHolder } from './holders.ts';
import type { End, Phase, PhaseWord } from './phase.ts';

/** A process that takes part in a migration. */
export interface MigrationProcess {
  /** Its label, and an id that no other process has: `host:pid~id`. */
  readonly process: string;
  /** Which phase its configuration says. */
  readonly desired: PhaseWord;
  /**
   * What it takes locks in. `both` while it desires an end: something is in its way, or it looks
   * whether something is. An end that it does not desire: it has leases there, and takes no more.
   */
  readonly effective: Phase;
  /** It says that it takes locks in the store of this end alone, or is about to. */
  readonly presence?: End;
}

/** What a migration is like in one of its stores. */
export interface MigrationStore {
  /** The provider's name. */
  readonly store: string;
  /**
   * Locks that the other store does not have: a hundred at most. `undefined`: the store does not
   * list its keys, or one of the two did not answer.
   */
  readonly alone: readonly StoreHolder[] | undefined;
  /**
   * In so many ms the provider of this store, without `migrate`, gives tokens above those of the
   * other one. 0: it does. `undefined`: the tokens of one of them are no times, or one did not
   * answer.
   */
  readonly safeIn: number | undefined;
  /** Why the store did not answer. */
  readonly error?: unknown;
}

/** Who takes part in a migration, how far it is, and what is in its way. */
export interface MigrationStatus {
  /** The migration's name. */
  readonly name: string;
  /** Those that could be seen: a store that does not answer hides those that use it alone. */
  readonly processes: readonly MigrationProcess[];
  /** The store that locks come from. */
  readonly from: MigrationStore;
  /** The store that locks go to. */
  readonly to: MigrationStore;
  /** Leases that both stores have: each needs both of them until its next renewal under an end. */
  readonly inBoth: readonly StoreHolder[];
  /**
   * Why the fleet is not all in a phase, by phase. Empty: it is. `to!` leaves out the store `from`:
   * its answers and its locks.
   */
  readonly obstacles: Readonly<Record<PhaseWord, readonly Obstacle[]>>;
}

/** One thing that keeps a fleet from being all in a phase. */
export interface Obstacle {
  /**
   * `processes`: there are none, or not as many as there are to be.
   * `process`: one is elsewhere, or on its way.
   * `store`: one does not answer.
   * `tokens`: those of the phase's store are behind.
   * `lock`: a lock is held in one store alone.
   * `lease`: a lease is held in both stores, and needs both of them until its next renewal.
   */
  readonly kind: 'processes' | 'process' | 'store' | 'tokens' | 'lock' | 'lease';
  /** Says it, for people. */
  readonly what: string;
}
