import type { StoreHolder } from './holders.ts';
import type { FleetFacts, MigrationProcess, MigrationStore } from './fleet.ts';
import { obstaclesTo } from './obstacles.ts';
import type { Obstacle } from './obstacles.ts';
import type { Phase } from './phase.ts';

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
  /** Why the fleet is not all in a phase, by phase. Empty: it is. */
  readonly obstacles: Readonly<Record<Phase, readonly Obstacle[]>>;
}

/** What `migrationStatus` gives. */
export function statusOf(facts: FleetFacts): MigrationStatus {
  const { name, processes, stores, inBoth } = facts;
  const [from, both, to] = [obstaclesTo('from', facts), obstaclesTo('both', facts), obstaclesTo('to', facts)];
  return { name, processes, ...stores, inBoth, obstacles: { from, both, to } };
}
