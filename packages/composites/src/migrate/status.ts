import type { StoreHolder } from './holders.ts';
import type { End, Phase, PhaseWord } from './phase.ts';

/** A process that takes part in a migration. */
export interface MigrationProcess {
  /** Its label and a unique id: `host:pid~id`. */
  readonly process: string;
  /** The configured phase. */
  readonly desired: PhaseWord;
  /**
   * What it takes locks in. `both` while it desires an end: something blocks it, or it is still
   * checking. An end that it does not desire: it has leases there, and takes no more.
   */
  readonly effective: Phase;
  /** It takes, or is about to take, locks in the store of this end alone. */
  readonly presence?: End;
}

/** The state of a migration in one of its stores. */
export interface MigrationStore {
  /** The provider's name. */
  readonly store: string;
  /**
   * Locks that the other store lacks: at most a hundred. `undefined`: the store does not list its
   * keys, or one of the two did not answer.
   */
  readonly alone: readonly StoreHolder[] | undefined;
  /**
   * The ms until the provider of this store, without `migrate`, returns tokens above those of the
   * other one. 0: now. `undefined`: the tokens of one of them are no times, or one did not answer.
   */
  readonly safeIn: number | undefined;
  /** Why the store did not answer. */
  readonly error?: unknown;
}

/** The processes of a migration, its progress, and its obstacles. */
export interface MigrationStatus {
  /** The migration's name. */
  readonly name: string;
  /** The visible ones: a store that does not answer hides those that use it alone. */
  readonly processes: readonly MigrationProcess[];
  /** The store that locks come from. */
  readonly from: MigrationStore;
  /** The store that locks go to. */
  readonly to: MigrationStore;
  /** Leases in both stores: each needs both of them until its next renewal under an end. */
  readonly inBoth: readonly StoreHolder[];
  /**
   * Why not the whole fleet is in a phase, by phase. Empty: it is. `to!` ignores the store `from`:
   * its answers and its locks.
   */
  readonly obstacles: Readonly<Record<PhaseWord, readonly Obstacle[]>>;
}

/** One thing that keeps a fleet out of a phase. */
export interface Obstacle {
  /**
   * `processes`: there are none, or not the expected number. `process`: one is elsewhere, or on its
   * way. `store`: one does not answer. `tokens`: those of the phase's store are behind. `lock`: a
   * lock is held in one store alone. `lease`: a lease is held in both stores, and needs both of
   * them until its next renewal.
   */
  readonly kind: 'processes' | 'process' | 'store' | 'tokens' | 'lock' | 'lease';
  /** The text for people. */
  readonly what: string;
}
