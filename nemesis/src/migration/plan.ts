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
/** In ms: what the first change may take with its faults. Later ones are measured. */
const changeTime = faultTime + 5_000;

/** One migration of the tour goes to one of its ends. */
export interface Move {
  readonly leg: Leg;
  /** The leg begins: its processes take the place of those before. */
  readonly begins: boolean;
  readonly change: Change;
}

export interface TourOptions {
  /** In ms: all changes are over by then, where the first one is. */
  readonly length: number;
  readonly workers: number;
  /** @default any store */
  readonly begin?: StoreName | undefined;
  /** In ms, since the drill began. */
  passed(): number;
}

/**
 * The tour begins at store `begin`. Each leg ends at `to`, and has its share of the time. While
 * there is some left it goes back and forth once more. What a change takes is measured: the next
 * one begins only where there is time for the longest so far.
 */
export function* planDrill(
  random: Random,
  { length, workers, begin = random.pick(storeNames), passed }: TourOptions,
): Generator<Move, void> {
  const first = storeNames.indexOf(begin);
  const tour = [...legs, ...legs].slice(first, first + legs.length);
  let longest = changeTime;
  function* go(leg: Leg, to: Change['to'], begins: boolean): Generator<Move, void> {
    const begun = passed();
    yield { leg, begins, change: planChange(random, leg, to, workers) };
    longest = Math.max(longest, passed() - begun);
  }
  for (const [index, leg] of tour.entries()) {
    if (index > 0 && passed() + longest > length) return;
    yield* go(leg, 'to', true);
    while (passed() + 2 * longest <= (length * (index + 1)) / tour.length) {
      yield* go(leg, 'from', false);
      yield* go(leg, 'to', false);
    }
  }
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
