import type { Phase } from '../../../src/migrate/phase.ts';
import type { Random } from '../../../../core/test/search/walk.ts';
import type { Actions, Faults, Setting, StoreKind } from './world.ts';

/** A counter for each key, and a clock: Redis, SQL, memory. Clocks of servers differ. */
const clock = (begins: number): StoreKind => ({ shared: false, begins });
/** One counter for all keys: ZooKeeper, far ahead of clocks, or behind. */
const counter = (begins: number): StoreKind => ({ shared: true, begins });

type Given = Partial<Omit<Setting, 'faults' | 'processes'>> & {
  readonly processes: readonly Actions[];
  readonly faults?: Partial<Faults>;
};

/** Two stores with counters, one key and no faults, unless said otherwise. */
export function settingOf({ faults = {}, ...given }: Given): Setting {
  return {
    stores: [counter(100), counter(0)],
    migrations: [[0, 1]],
    keys: 1,
    ttl: 2,
    presenceTtl: 2,
    perTick: 100,
    slack: 0,
    sameMarks: false,
    ...given,
    faults: { ticks: 0, crashes: 0, losses: 0, delays: 0, sleeps: 0, ends: 0, ...faults },
  };
}

/** Two stores with clocks. The first one is ahead. */
export const clocks: Partial<Setting> = { stores: [clock(10_000), clock(0)], slack: 50 };

/** A process that wants these phases, one after the other, and asks for a key once. */
export function wants(phases: readonly Phase[], more: Partial<Actions> = {}): Actions {
  return { wants: phases, attempts: 1, renewals: 0, retries: 0, lifts: 0, leaves: false, ...more };
}

const phases = ['from', 'both', 'to'] as const;

/** Two or three processes, two keys and all faults. At times a second migration follows. */
export function manyMoves(random: Random): Setting {
  const chain = random() < 0.4;
  const kinds = [
    clock(below(random, 3) * 10_000),
    clock(below(random, 3) * 10_000),
    counter(below(random, 3) * 20_000),
  ];
  const first = below(random, 2);
  // ZooKeeper stands in the middle of a chain.
  const stores = chain ? [kinds[0]!, kinds[2]!, kinds[1]!] : [kinds[first]!, kinds[1 + below(random, 2)]!];
  const processes = Array.from({ length: 2 + below(random, 2) }, () => ({
    wants: chain
      ? (['from', 'both', 'to', ...(random() < 0.5 ? (['both', 'to'] as const) : [])] satisfies Phase[])
      : Array.from({ length: 1 + below(random, 5) }, () => phases[below(random, 3)]!),
    attempts: 8,
    renewals: 12,
    retries: 6,
    lifts: 4,
    leaves: false,
  }));
  return settingOf({
    stores,
    migrations: chain
      ? [
          [0, 1],
          [1, 2],
        ]
      : [[0, 1]],
    keys: 2,
    ttl: 1 + below(random, 3),
    presenceTtl: 1 + below(random, 3),
    slack: 50,
    processes,
    faults: {
      ticks: 6 + below(random, 10),
      crashes: below(random, 2),
      losses: below(random, 4),
      delays: below(random, 6),
      sleeps: below(random, 2),
      ends: below(random, 3),
    },
  });
}

function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}
