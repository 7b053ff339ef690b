import type { Runtime } from '@locks/core/adapter';
import { findLoneHolders } from './holders.ts';
import type { DirectHolder } from './holders.ts';
import { nextSteps } from './next-step.ts';
import type { FleetFacts, NextSteps } from './next-step.ts';
import { oppositeOf } from './phase.ts';
import type { End } from './phase.ts';
import { doubledLabels, joinSigns } from './process-signs.ts';
import type { MigrationProcess } from './process-signs.ts';
import { readStore } from './store-status.ts';
import type { KnownStore, MigrationStore } from './store-status.ts';

/** Who takes part in a migration, how far it is, and whether it may go on. */
export interface MigrationStatus {
  /** The migration's name. */
  readonly name: string;
  /** Those that could be seen: a store that does not answer hides those under its end. */
  readonly processes: readonly MigrationProcess[];
  /** The store that locks come from. */
  readonly from: MigrationStore;
  /** The store that locks go to. */
  readonly to: MigrationStore;
  /** Whether the next step may be taken, for all processes, and if not, why. */
  readonly next: NextSteps;
}

/** Which migration is asked about. */
export interface StatusQuestion extends Pick<FleetFacts, 'name' | 'expected' | 'without'> {
  readonly stores: Readonly<Record<End, KnownStore>>;
  readonly runtime: Runtime;
}

/** Asks both stores. A store that does not answer is told by its `error`. Never rejects. */
export async function readFleet({ name, stores, runtime, expected, without }: StatusQuestion): Promise<FleetFacts> {
  const [from, to] = await Promise.all([readStore(name, 'from', stores.from), readStore(name, 'to', stores.to)]);
  const signs = [...from.signs, ...to.signs];
  const processes = joinSigns(signs);
  const told = { from: from.store, to: to.store };
  const aloneIn = async (end: End): Promise<readonly DirectHolder[]> => {
    const [own, other] = [stores[end], stores[oppositeOf(end)]];
    // There each lock is held in one store alone.
    const used = processes.some(({ effective }) => effective === end);
    if (used || 'error' in own || 'error' in other) return [];
    try {
      return await findLoneHolders(own.provider, other.provider, runtime, 0);
    } catch (error) {
      told[end] = { ...told[end], error };
      return [];
    }
  };
  const [inFrom, inTo] = await Promise.all([aloneIn('from'), aloneIn('to')]);
  return {
    name,
    processes,
    alone: { from: inFrom, to: inTo },
    stores: told,
    left: { from: from.left, to: to.left },
    doubled: doubledLabels(signs),
    others: [...new Set([...from.names, ...to.names])].filter((other) => other !== name),
    expected,
    without,
  };
}

/** What `migrationStatus` gives. */
export function statusOf(facts: FleetFacts): MigrationStatus {
  const { name, processes, stores } = facts;
  return { name, processes, ...stores, next: nextSteps(facts) };
}
