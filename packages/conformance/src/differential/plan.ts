import { createRandom } from '../checks/random.ts';
import type { DifferentialRules, Wish } from './options.ts';

/** What one claim of a sequence wants. */
export interface Party {
  readonly wish: Wish;
  readonly ttl: number;
}

/** One step of a sequence: plain data, so that a part of a sequence can be run again. */
export type Action =
  | {
      readonly op: 'acquire';
      readonly who: number;
      readonly waits: boolean;
      /** Above the highest token, or below it. `undefined`: no floor. */
      readonly floor: number | undefined;
      /** A holder asks for the other mode. */
      readonly converts: boolean;
    }
  | {
      readonly op: 'renew';
      readonly who: number;
      readonly ttl: number;
      /** Above the token of the hold, or below it. `undefined`: none is told. */
      readonly token: number | undefined;
    }
  /** `via`: the provider of this party sends it. A forced release comes from any. */
  | { readonly op: 'release'; readonly who: number; readonly via: number }
  | { readonly op: 'inspect'; readonly via: number }
  | { readonly op: 'time'; readonly via: number }
  | { readonly op: 'sleep'; readonly ms: number };

/** One sequence of calls on one key. */
export interface Plan {
  readonly seed: number;
  readonly rules: DifferentialRules;
  readonly parties: readonly Party[];
  readonly actions: readonly Action[];
}

export const partiesOfPlan = 5;
const longTtl = 40_000;
const shortTtl = 700;

/**
 * Either holds expire or places lapse, so that no sequence is decided by which of them is first.
 */
export const families: readonly (DifferentialRules & {
  readonly ttls: readonly number[];
  readonly pauses: readonly number[];
})[] = [
  { waiterTtl: 60_000, ttls: [shortTtl, longTtl], pauses: [100, 900] },
  { waiterTtl: 900, ttls: [longTtl], pauses: [360, 1_170] },
];

/** What the sequences of a store may ask for. */
export interface Abilities {
  readonly shared: boolean;
  readonly time: boolean;
}

/** The same plan for the same seed. */
export function planOf(seed: number, length: number, can: Abilities): Plan {
  const { next, integer } = createRandom(seed, 'differential');
  const pick = <T>(list: readonly T[]): T => list[integer(list.length)] as T;
  const family = families[seed % families.length] as (typeof families)[0];
  const permits = pick([1, 2, 3, undefined]);
  const exclusive: Wish = { mode: 'exclusive' };
  const shared = (number: number | undefined): Wish =>
    number === undefined ? { mode: 'shared' } : { mode: 'shared', permits: number };
  const kinds: readonly (() => Wish)[][] = [
    [() => exclusive],
    [() => exclusive, () => shared(permits)],
    [() => shared(permits)],
    [() => exclusive, () => shared(pick([1, 2, 3, 4, undefined])), () => shared(pick([1, 2, 3, 4, undefined]))],
  ];
  const kind = can.shared ? pick(kinds) : [() => exclusive];
  const parties = Array.from({ length: partiesOfPlan }, () => ({ wish: pick(kind)(), ttl: pick(family.ttls) }));
  const ops = ['acquire', 'acquire', 'acquire', 'acquire', 'release', 'release', 'renew', 'inspect', 'sleep'] as const;
  const actions = Array.from({ length }, (): Action => {
    const op = pick(ops);
    const who = integer(partiesOfPlan);
    switch (op) {
      case 'acquire':
        return {
          op,
          who,
          waits: next() < 0.7,
          floor: next() < 0.12 ? pick([-5, 0, 50]) : undefined,
          converts: can.shared && next() < 0.15,
        };
      case 'renew':
        return { op, who, ttl: pick(family.ttls), token: next() < 0.3 ? pick([-1, 0, 1_000]) : undefined };
      case 'release':
        return { op, who, via: next() < 0.3 ? integer(partiesOfPlan) : who };
      case 'inspect':
        return can.time && next() < 0.2 ? { op: 'time', via: who } : { op, via: who };
      case 'sleep':
        return { op, ms: pick(family.pauses) };
      default:
        return op satisfies never;
    }
  });
  return { seed, rules: { waiterTtl: family.waiterTtl }, parties, actions };
}
