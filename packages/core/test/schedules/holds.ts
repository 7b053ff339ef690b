import type { Claim, Lease, Mode } from '../../src/index.ts';
import type { Scenario, SimulatedProcess, World } from '../../src/testing/index.ts';

/** What a lease covers of one key. */
export interface Part {
  readonly key: string;
  readonly mode: Mode;
  readonly count?: number;
  readonly permits?: number;
}

interface Entry {
  readonly process: SimulatedProcess;
  readonly lease: Lease;
  readonly parts: () => readonly Part[];
}

/** What processes do with one kind of object; their leases are held under `holds`. */
export type ObjectScenario = (world: World, holds: Holds) => Omit<Scenario, 'open' | 'look'>;

/** Leases of several keys, and of several permits. */
export class Holds {
  /** What the memory granted, in this order: by owner, the last time. */
  readonly grants = new Map<string, { readonly key: string; readonly at: number; readonly token: bigint }>();
  readonly #world: World;
  readonly #entries = new Set<Entry>();

  constructor(world: World) {
    this.#world = world;
  }

  granted({ key, owner }: Claim, token: bigint): void {
    // A claim whose grant was lost, and has lapsed, gets another one.
    if (this.grants.get(owner)?.token === token) return;
    this.grants.delete(owner);
    this.grants.set(owner, { key, at: this.#world.runtime.time, token });
  }

  /** Runs `work` while `lease`, which was just granted, counts as held: as long as it says so. */
  async under<T>(
    process: SimulatedProcess,
    lease: Lease,
    parts: () => readonly Part[],
    work: () => Promise<T>,
  ): Promise<T> {
    const entry: Entry = { process, lease, parts };
    this.#entries.add(entry);
    this.#world.note(`${process.name} holds ${lease.owner}`);
    this.look();
    try {
      return await work();
    } finally {
      this.look();
      this.#entries.delete(entry);
    }
  }

  /** No two leases that say they are held exclude each other. */
  look(): void {
    const byKey = new Map<string, { readonly owner: string; readonly part: Part }[]>();
    for (const { process, lease, parts } of this.#entries) {
      if (!process.alive || !lease.held) continue;
      for (const part of parts()) {
        const others = byKey.get(part.key) ?? [];
        byKey.set(part.key, [...others, { owner: lease.owner, part }]);
      }
    }
    for (const [key, holds] of byKey) {
      const names = holds.map(({ owner }) => owner).join(' and ');
      if (holds.length > 1 && holds.some(({ part }) => part.mode === 'exclusive'))
        this.#world.report(`${names} hold ${key}`);
      const shares = holds.reduce((sum, { part }) => sum + (part.count ?? 1), 0);
      // Beside a larger number a smaller one has waited for its turn.
      const permits = Math.max(...holds.map(({ part }) => part.permits ?? Infinity));
      if (shares > permits) this.#world.report(`${names} have ${shares} of ${permits} permits of ${key}`);
    }
  }
}
