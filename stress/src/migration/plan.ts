import { type PlannedFault, planFaults } from '../faults/schedule.ts';
import type { Random } from '../random.ts';
import { type Leg, type StoreName, legs, presenceTtl, storeNames, ttl } from './stores.ts';

/** The processes move to one end of a migration. */
export interface Change {
  readonly to: 'from' | 'to';
  /** Slots whose processes are told the end first, and skip `both`. */
  readonly skipping: readonly number[];
  /** In ms: faults begin so long before the processes are told. */
  readonly lead: number;
  /** In ms: the others are told so long after those. They act under the other end until then. */
  readonly late: number;
  /** In ms: how long the others are told `both`. */
  readonly between: number;
  readonly faults: readonly PlannedFault[];
}

/** In ms, of each change: a process is stranded for so long that others enter the other end. */
export const faultTime: number = 2 * presenceTtl;
/** In ms: what a change takes with its faults. */
const changeTime = faultTime + 2_500;

/** One migration of the tour. */
export interface PlannedLeg {
  readonly leg: Leg;
  readonly changes: readonly Change[];
}

/**
 * The tour begins at store `begin`. Each leg ends at `to`; with time enough some go back and forth
 * once more before. `length` is about how long all changes last, in ms.
 *
 * @default any store
 */
export function planDrill(
  random: Random,
  length: number,
  workers: number,
  begin: StoreName = random.pick(storeNames),
): readonly PlannedLeg[] {
  const changes = Math.max(1, Math.round(length / changeTime));
  const first = storeNames.indexOf(begin);
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
  const links = [storeNames.indexOf(from), storeNames.indexOf(to)] as const;
  const shape = { length: faultTime, ttl, workers, servers: links.length, members: false, oneLink: true };
  const stranded: PlannedFault = {
    kind: 'silence',
    at: 0,
    duration: faultTime,
    target: Math.floor(random.between(0, workers)),
    link: end === 'to' ? links[0] : links[1],
  };
  const others = planFaults(random, shape).filter(({ target }) => target !== stranded.target);
  return {
    to: end,
    skipping: shuffled(random, workers).slice(0, workers / 2),
    lead: random.between(0, 0.1) * faultTime,
    late: random.between(0.05, 0.1) * faultTime,
    between: random.between(0.05, 0.1) * faultTime,
    faults: [stranded, ...others.map(({ link = 0, ...fault }) => ({ ...fault, link: links[link] ?? 0 }))],
  };
}

function shuffled(random: Random, count: number): readonly number[] {
  return Array.from({ length: count }, (_, slot) => ({ slot, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ slot }) => slot);
}
