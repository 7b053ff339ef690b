import { noFaults } from './world.ts';
import type { Faults } from './world.ts';

/** How a store decides. A weaker form changes one of these. */
export interface StoreRules {
  /** A repeat by the holder restarts the ttl. @default true */
  readonly restartsTtl: boolean;
  /** A renewal is refused where the hold has a higher token. @default true */
  readonly guardsToken: boolean;
  /** A renewal with a token raises that of the hold, and the counter. @default true */
  readonly raisesToken: boolean;
}

/** What a model is about. */
export interface Setting {
  readonly members: number;
  readonly need: number;
  readonly fencing: boolean;
  readonly contenders: number;
  /** How many leases each contender takes. @default 1 */
  readonly leases: number;
  /** How many renewals each contender sends. @default 0 */
  readonly renewals: number;
  /** How often each contender asks again though no member woke it. @default without end */
  readonly repeats: number;
  /** In ticks. */
  readonly ttl: number;
  /** How long a vote lasts that may never be granted, in ticks. @default the ttl */
  readonly place: number;
  /** How long a tick lasts, in ms. */
  readonly tick: number;
  /** Contenders wait, in queues. Otherwise one that hears busy gives up. */
  readonly waits: boolean;
  /** The queue's member is asked first, as where others of the process wait. */
  readonly crowded: boolean;
  /**
   * How messages go between each contender and each member, one letter for each. l: requests and
   * answers may be late. p: answers are prompt. s: the member is silent. -: requests are on their
   * way for ever. @default l
   */
  readonly ways: readonly string[];
  /** The order of the members of each contender. @default the same */
  readonly orders: readonly (readonly number[])[];
  /** A store's ttl ends so many ticks too early. */
  readonly drift: number;
  /** A lease ends so many ticks before its votes. */
  readonly margin: number;
  /** For how long a store that came back empty grants nothing, in ticks. */
  readonly quarantine: number;
  /**
   * `newest`: each token is the highest of all members, as of clocks that never differ. Only their
   * order is part of a state. `counter`: each member counts. `clock`: as counters, but never below
   * the time.
   */
  readonly tokens: 'newest' | 'counter' | 'clock';
  /** Where the counters begin. @default 0 */
  readonly counters: readonly number[];
  /** Each attempt asks for tokens above any one of these. @default above nothing */
  readonly floors: readonly number[];
  readonly faults: Faults;
  /** Faults happen to this contender only. @default to all */
  readonly faultyContender: number | undefined;
  /** Faults happen to this store only. @default to all */
  readonly faultyStore: number | undefined;
  readonly store: StoreRules;
}

const soundStore: StoreRules = { restartsTtl: true, guardsToken: true, raisesToken: true };

type Partly = Partial<Omit<Setting, 'faults' | 'store'>> & {
  readonly faults?: Partial<Faults>;
  readonly store?: Partial<StoreRules>;
};

/** A setting, with what is usual for the rest. */
export function settingOf({ faults, store, ...given }: Partly): Setting {
  const { members = 3, contenders = 2, waits = true } = given;
  return {
    members,
    need: Math.floor(members / 2) + 1,
    fencing: true,
    contenders,
    leases: 1,
    renewals: 0,
    repeats: waits ? Infinity : 0,
    ttl: 2,
    place: given.ttl ?? 2,
    tick: 20,
    waits,
    crowded: false,
    ways: [],
    orders: [],
    drift: 0,
    margin: 0,
    quarantine: 0,
    tokens: 'newest',
    counters: [],
    floors: [],
    faultyContender: undefined,
    faultyStore: undefined,
    ...given,
    faults: { ...noFaults, ...faults },
    store: { ...soundStore, ...store },
  };
}

export type Way = 'late' | 'prompt' | 'silent' | 'for ever';

const letters: Readonly<Record<string, Way>> = { l: 'late', p: 'prompt', s: 'silent', '-': 'for ever' };

/** How messages go between the contender and the member. */
export function wayOf(setting: Setting, contender: number, { member }: { readonly member: number }): Way {
  return letters[setting.ways[contender]?.[member] ?? 'l'] as Way;
}

/** Whether the contender's process reaches the member. */
export function reaches(setting: Setting, contender: number, call: { readonly member: number }): boolean {
  const way = wayOf(setting, contender, call);
  return way === 'late' || way === 'prompt';
}

/** Whether the contenders are alike, so that they may change places. */
export function areAlike({ contenders, ways, orders, faultyContender }: Setting): boolean {
  const kinds = new Set(Array.from({ length: contenders }, (_, contender) => ways[contender]));
  return orders.length === 0 && kinds.size < 2 && faultyContender === undefined;
}

/** The store that is a member of the contender. */
export function storeOf({ orders }: Setting, contender: number, member: number): number {
  return orders[contender]?.[member] ?? member;
}

/** The contender's member that has the store. */
export function memberOf({ orders }: Setting, contender: number, store: number): number {
  return orders[contender]?.indexOf(store) ?? store;
}
