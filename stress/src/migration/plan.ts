import { type PlannedFault, planFaults } from '../faults/schedule.ts';
import type { Random } from '../random.ts';
import { type Leg, legs, storeNames, ttl } from './stores.ts';

/** The processes move to one end of a migration. */
export interface Change {
  readonly to: 'from' | 'to';
  /** Slots whose processes are told the end at once. The others are told `both` before. */
  readonly skipping: readonly number[];
  /** In ms: faults begin so long before the processes are told. */
  readonly lead: number;
  /** In ms: how long the others are told `both`. */
  readonly between: number;
  readonly faults: readonly PlannedFault[];
}

/** In ms, of each change: long enough that a process is paused for longer than its presence. */
export const faultTime = 4_000;
/** In ms: what a change takes with its faults. */
const changeTime = 6_500;

/** One migration of the tour. */
export interface PlannedLeg {
  readonly leg: Leg;
  readonly changes: readonly Change[];
}

/**
 * The tour begins at any store. Each leg ends at `to`; with time enough some go back and forth once
 * more before. `length` is about how long all changes last, in ms.
 */
export function planDrill(random: Random, length: number, workers: number): readonly PlannedLeg[] {
  const changes = Math.max(1, Math.floor(length / changeTime));
  const first = Math.floor(random.between(0, legs.length));
  const tour = [...legs, ...legs].slice(first, first + Math.min(changes, legs.length));
  const turns = Math.floor((changes - tour.length) / 2);
  return tour.map((leg, index) => {
    const own = Math.floor((turns + tour.length - 1 - index) / tour.length);
    const count = 1 + 2 * own;
    return {
      leg,
      changes: Array.from({ length: count }, (_, turn) =>
        planChange(random, leg, turn % 2 === 0 ? 'to' : 'from', workers),
      ),
    };
  });
}

function planChange(random: Random, { from, to }: Leg, end: Change['to'], workers: number): Change {
  const links = [storeNames.indexOf(from), storeNames.indexOf(to)];
  const shape = { length: faultTime, ttl, workers, servers: links.length, members: false, oneLink: true };
  return {
    to: end,
    skipping: shuffled(random, workers).slice(0, workers / 2),
    lead: random.between(0.2, 0.6) * faultTime,
    between: random.between(0.1, 0.3) * faultTime,
    faults: planFaults(random, shape).map(({ link = 0, ...fault }) => ({ ...fault, link: links[link] ?? 0 })),
  };
}

function shuffled(random: Random, count: number): readonly number[] {
  return Array.from({ length: count }, (_, slot) => ({ slot, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ slot }) => slot);
}
