import type { PhaseState, Scope } from '../../../src/migrate/decisions.ts';
import type { End, Phase } from '../../../src/migrate/phase.ts';

/** `lift own`: takes a mark away that is in the way. */
type PhaseCall = 'announce' | 'remain' | 'look' | 'check' | 'lift own' | 'mark' | 'probe other' | 'probe own';
/** Of a process that is to be in `both`. */
type LiftCall = 'read mark' | 'look back' | 'lift';

/** A call of a process to a store: a request, and then its answer, on the way. */
export interface Call {
  readonly kind: PhaseCall | LiftCall | 'ask' | 'renew';
  readonly store: number;
  /** Which key, or whose presences. */
  readonly about: number | Presences;
  /** Makes the owner that the store sees. */
  readonly number: number;
  /** Of a grant: its floor. Of a renewal: the token that the hold gets. */
  readonly token: number | undefined;
  readonly sentAt: number;
  answer: Answer | undefined;
  /** Its process has given it up: its request may arrive still, its answer does not. */
  orphan: boolean;
}

/** The presences of one end of a migration: a key of the end's store. */
export interface Presences {
  readonly migration: number;
  readonly end: End;
}

/** `token`: of a grant, or a mark. `yes`: it was renewed or done, or there are presences. */
export type Answer = { readonly token: number } | 'yes' | 'no';

/** A release on its way to a store. */
export interface Return {
  readonly store: number;
  readonly number: number;
}

/** A claim of a process. It has one call in flight at most, and asks one store after the other. */
export interface Claim {
  readonly key: number;
  /** Makes the owner that each store sees: from, to. 0: the store has nothing of it. */
  numbers: [number, number];
  scope: Scope;
  stage: 'asking' | 'raising' | 'waiting' | 'held' | 'renewing' | 'carrying';
  /** An attempt had no answer. */
  clean: boolean;
  token: number;
  /** When the last calls were sent: from, to. */
  sent: [number, number];
  /** When the first store was asked, in `both`. */
  askedAt: number;
  /** What the lease is held under, and until when. */
  phase: Phase;
  until: number;
  /** Until when a lease that was carried counts on its end alone, and which end that is. */
  toldUntil: number;
  end: End;
  /** What a renewal under way does. */
  step: 'renew' | 'carry' | 'shed';
}

/** A process: where it is between the phases, its presence, and a claim. */
export interface Process {
  /** `plain`: it uses the second store without a migration. */
  stage: 'up' | 'crashed' | 'asleep' | 'plain';
  /** Which migration it takes part in. */
  migration: number;
  phase: PhaseState;
  presence: { readonly number: number; until: number } | undefined;
  claim: Claim | undefined;
  calls: Call[];
  returns: Return[];
  /** How many of its wishes it has had. */
  wished: number;
  attempts: number;
  renewals: number;
  retries: number;
  lifts: number;
  /** The marks that it read while it was to be in `both`: from, to. 0: none. */
  seen: [number, number];
  /** Which mark it takes away, and how many steps of that are done. */
  lift: { readonly end: End; done: number } | undefined;
}

export interface Hold {
  readonly number: number;
  token: number;
  expires: number;
}

/** A store with its keys, the presences of the migrations that it is a part of, and tokens. */
export interface Store {
  holds: (Hold | undefined)[];
  /** The highest token of each key; the last one is that of the probes. One for all: ZooKeeper. */
  counters: number[];
  presences: (Presences & { readonly number: number; expires: number })[];
  /** Of processes that went on: of which migration, and in place of which end. */
  marks: (Presences & { readonly number: number })[];
}

/** One state of everything. */
export interface World {
  now: number;
  processes: Process[];
  stores: Store[];
  /** The highest token of a lease, by key. */
  highest: number[];
  numbers: number;
  faults: Faults;
  problem: string | undefined;
}

/** How often things may still go wrong. */
export interface Faults {
  readonly ticks: number;
  /** A process ends. */
  readonly crashes: number;
  /** A call has no answer. Its request may arrive still. */
  readonly losses: number;
  /** An answer, or a release, is on its way for a while. */
  readonly delays: number;
  /** A process is suspended for as long as it takes. */
  readonly sleeps: number;
  /** The other store lets go of a lease that was carried. */
  readonly ends: number;
}

/** How a store makes tokens: by a counter for each key and its clock, or by one for all keys. */
export interface StoreKind {
  readonly shared: boolean;
  /** What its clock shows at first, or where its counter begins. */
  readonly begins: number;
}

/** What a search goes through. */
export interface Setting {
  readonly stores: readonly StoreKind[];
  /** The stores of each migration: from, to. */
  readonly migrations: readonly (readonly [number, number])[];
  readonly keys: number;
  readonly processes: readonly Actions[];
  readonly ttl: number;
  readonly presenceTtl: number;
  /** How much a clock shows per tick: more than the grants of one key in a tick. */
  readonly perTick: number;
  /** A probe gets so much more. */
  readonly slack: number;
  /** Marks of one process are like those of another. */
  readonly sameMarks: boolean;
  readonly faults: Faults;
}

/** What one process does, at any time. */
export interface Actions {
  /** The phases that it wants, one after the other. */
  readonly wants: readonly Phase[];
  /** How often it asks for a key. */
  readonly attempts: number;
  /** How often it renews its lease or its presence. */
  readonly renewals: number;
  /** How often it tries again after it was refused. */
  readonly retries: number;
  /** How often it takes a mark away, while it is to be in `both`. */
  readonly lifts: number;
  /** It goes on with the second store alone, without a migration, when all have arrived there. */
  readonly leaves: boolean;
}

/** The store of `end` in the migration of `process`. */
export function storeOf({ migrations }: Setting, { migration }: Process, end: End): number {
  return (migrations[migration] ?? [0, 1])[end === 'from' ? 0 : 1];
}

export function copyWorld(world: World): World {
  return {
    ...world,
    highest: [...world.highest],
    processes: world.processes.map((process) => ({
      ...process,
      phase: { ...process.phase },
      presence: process.presence === undefined ? undefined : { ...process.presence },
      claim:
        process.claim === undefined
          ? undefined
          : { ...process.claim, sent: [...process.claim.sent], numbers: [...process.claim.numbers] },
      calls: process.calls.map((call) => ({ ...call })),
      returns: [...process.returns],
      seen: [...process.seen],
      lift: process.lift === undefined ? undefined : { ...process.lift },
    })),
    stores: world.stores.map((store) => ({
      holds: store.holds.map((hold) => (hold === undefined ? undefined : { ...hold })),
      counters: [...store.counters],
      presences: store.presences.map((presence) => ({ ...presence })),
      marks: [...store.marks],
    })),
  };
}
