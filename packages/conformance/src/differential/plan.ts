import { createRandom } from '../checks/random.ts';
import type { DifferentialFault, DifferentialRules, Wish } from './options.ts';

/** What one claim of a sequence asks for, of which key and in which process. */
export interface Party {
  readonly wish: Wish;
  readonly ttl: number;
  readonly key: number;
  readonly process: number;
}

/** One step of a sequence: plain data, so that a part of a sequence can run again. */
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
      /** Above the token of the hold, or below it. `undefined`: none is passed. */
      readonly token: number | undefined;
    }
  /** `via`: the provider of this process sends it. A forced release comes from any. */
  | { readonly op: 'release'; readonly who: number; readonly via: number | undefined }
  | { readonly op: 'inspect'; readonly key: number; readonly via: number }
  | { readonly op: 'list'; readonly via: number }
  | { readonly op: 'time'; readonly via: number }
  /** A change of the register of the sequence, made if `from` is its text. */
  | {
      readonly op: 'register';
      readonly from: string | undefined;
      readonly to: string | undefined;
      readonly via: number;
    }
  /** All claims of one process make the same call in one tick. */
  | { readonly op: 'batch'; readonly call: 'acquire' | 'renew' | 'release'; readonly process: number }
  /** The lease of a holder is transferred to this process. */
  | { readonly op: 'hand over'; readonly who: number; readonly process: number }
  /** The provider of this process is closed, and replaced. */
  | { readonly op: 'close'; readonly process: number }
  | { readonly op: 'fault'; readonly fault: DifferentialFault; readonly process: number }
  | { readonly op: 'sleep'; readonly ms: number };

/** One sequence of calls on a few keys. */
export interface Plan {
  readonly seed: number;
  readonly rules: DifferentialRules;
  readonly parties: readonly Party[];
  readonly actions: readonly Action[];
}

export const processesOfPlan = 3;
export const keysOfPlan = 2;
const longTtl = 40_000;
const shortTtl = 700;

/**
 * Either holds expire or positions lapse, so that no sequence depends on which of them is first.
 */
export const families: readonly (DifferentialRules & {
  readonly ttls: readonly number[];
  readonly pauses: readonly number[];
})[] = [
  { waiterTtl: 60_000, ttls: [shortTtl, longTtl], pauses: [100, 900] },
  { waiterTtl: 900, ttls: [longTtl], pauses: [360, 1_170] },
];

/** What the sequences of a store may use. */
export interface Abilities {
  readonly shared: boolean;
  readonly time: boolean;
  readonly list: boolean;
  readonly registers: boolean;
  /** No ttl ends anything. */
  readonly lasting: boolean;
  readonly handsOver: boolean;
  readonly faults: readonly DifferentialFault[];
  /** Its time is virtual, so that long pauses cost nothing. */
  readonly virtual: boolean;
}

/** The number of sequences per restart of the store, which delays all that run simultaneously. */
const restartEvery = 1_000;

/** The same plan for the same seed. */
export function planOf(seed: number, length: number, can: Abilities): Plan {
  const { next, integer } = createRandom(seed, 'differential');
  const pick = <T>(list: readonly T[]): T => list[integer(list.length)] as T;
  const { waiterTtl, ...family } = families[seed % families.length] as (typeof families)[0];
  const ttls = can.lasting ? [longTtl] : family.ttls;
  const pauses = can.virtual ? [...family.pauses, longTtl + 1_000] : family.pauses;
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
  // With more than 16 claims the rules use an index.
  const count = pick([5, 5, 5, 24]);
  const parties = Array.from({ length: count }, () => ({
    wish: pick(kind)(),
    ttl: pick(ttls),
    key: next() < 0.2 ? 1 : 0,
    process: integer(processesOfPlan),
  }));
  const texts = [undefined, 'one', 'two'];
  const calls = [
    'acquire',
    'acquire',
    'acquire',
    'acquire',
    'release',
    'release',
    'renew',
    'inspect',
    'sleep',
  ] as const;
  const rare = ['batch', 'batch', 'hand over', 'close', 'list', 'register', 'time'] as const;
  const faults = can.faults.filter((fault) => fault !== 'restart');
  const restart = can.faults.includes('restart') && seed % restartEvery === 10 ? integer(length) : -1;
  const actions = Array.from({ length }, (_, index): Action => {
    const [who, process, via] = [integer(count), integer(processesOfPlan), integer(processesOfPlan)];
    if (index === restart) return { op: 'fault', fault: 'restart', process };
    if (faults.length > 0 && next() < 0.1) return { op: 'fault', fault: pick(faults), process };
    const op = pick(next() < 0.25 ? rare : calls);
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
        return { op, who, ttl: pick(ttls), token: next() < 0.3 ? pick([-1, 0, 1_000]) : undefined };
      case 'release':
        return { op, who, via: next() < 0.3 ? via : undefined };
      case 'batch':
        return { op, call: pick(['acquire', 'acquire', 'renew', 'release']), process };
      case 'hand over':
        if (can.handsOver) return { op, who, process };
        break;
      case 'close':
        return { op, process };
      case 'list':
        if (can.list) return { op, via };
        break;
      case 'register':
        if (can.registers) return { op, from: pick(texts), to: pick(texts), via };
        break;
      case 'time':
        if (can.time) return { op, via };
        break;
      case 'sleep':
        return { op, ms: pick(pauses) };
      case 'inspect':
        break;
      default:
        return op satisfies never;
    }
    return { op: 'inspect', key: integer(keysOfPlan), via };
  });
  return { seed, rules: { waiterTtl }, parties, actions };
}
