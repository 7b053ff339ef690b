import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import type { LockProvider, Locks, MemoryStore } from '../../../core/src/index.ts';
import type { SimulatedProcess, World } from '../../../core/src/testing/index.ts';
import { clockAhead } from '../../../core/test/support/replaced.ts';
import { combine, migrate } from '../../src/index.ts';
import type { CombineOptions, PhaseWord } from '../../src/index.ts';

/** How the processes of a schedule open their locks, and what their operators do. */
export interface Setting {
  open(process: SimulatedProcess): Locks;
  /** Beside each step. */
  step?(): void;
  end?(): void;
}

const ttl = 600;
const rules = { memberTimeout: 60, timeout: 400 };

/** Their tokens begin at the time of their clocks. */
function memories({ runtime, integer }: World, count: number): readonly MemoryStore[] {
  return Array.from({ length: count }, () =>
    createMemoryStore({ runtime: clockAhead(runtime, integer(3_000)), waiterTtl: 1_500 }),
  );
}

function locksOf(provider: LockProvider, { runtime, name }: SimulatedProcess): Locks {
  return createLocks(provider, { runtime, label: name, ttl, closeProvider: true, findDeadlocks: true });
}

/** A combination of so many stores in memory. */
export function combined(world: World, count: number, options: CombineOptions = {}, made = combine): Setting {
  const stores = memories(world, count);
  return {
    open(process) {
      const members = stores.map((store) => process.link(createMemoryProvider({ store })));
      return locksOf(made(members, { ...rules, ...options, runtime: process.runtime }), process);
    },
  };
}

/** Two stores, between which each process is moved at any time, forth and back. */
export function migrating(world: World, made = migrate): Setting {
  const [from, to] = memories(world, 2) as [MemoryStore, MemoryStore];
  const phases = new Map<string, PhaseWord>();
  return {
    open(process) {
      const { name, runtime, link } = process;
      const provider = made({
        ...rules,
        name: 'm',
        from: link(createMemoryProvider({ store: from })),
        to: link(createMemoryProvider({ store: to })),
        // Who looks at what is left takes no part.
        phase: () => phases.get(name) ?? (world.processes.includes(process) ? 'from' : 'both'),
        presenceTtl: 1_000,
        // No store loses its data.
        settle: 0,
        label: name,
        runtime,
      });
      return locksOf(provider, process);
    },
    step() {
      if (world.integer(3) > 0) return;
      const { name } = world.pick(world.processes);
      const phase = world.pick<PhaseWord>(['from', 'both', 'both', 'to']);
      phases.set(name, phase);
      world.note(`${name} is told "${phase}"`);
    },
    end() {
      for (const { name } of world.processes) phases.set(name, 'both');
    },
  };
}
