import type { LockProvider } from '@locks/core';
import { pause } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { findHolders } from './holders.ts';
import type { FoundHolders, StoreHolder } from './holders.ts';
import { keysOfMigrations, migrationOf, noteKey, presenceKey, readSign } from './keys.ts';
import type { Sign } from './keys.ts';
import type { Obstacle } from './obstacles.ts';
import { oppositeOf } from './phase.ts';
import type { End, Phase, PhaseWord } from './phase.ts';

/** A process that takes part in a migration. */
export interface MigrationProcess {
  /** Its label, and an id that no other process has: `host:pid~id`. */
  readonly process: string;
  /** Which phase its configuration says. */
  readonly desired: PhaseWord;
  /**
   * What it takes locks in. `both` while it desires an end: something is in its way, or it looks
   * whether something is. An end that it does not desire: it has leases there, and takes no more.
   */
  readonly effective: Phase;
  /** It says that it takes locks in the store of this end alone, or is about to. */
  readonly presence?: End;
}

/** What a migration is like in one of its stores. */
export interface MigrationStore {
  /** The provider's name. */
  readonly store: string;
  /**
   * Locks that the other store does not have: a hundred at most. `undefined`: the store does not
   * list its keys, or one of the two did not answer.
   */
  readonly alone: readonly StoreHolder[] | undefined;
  /**
   * In so many ms the provider of this store, without `migrate`, gives tokens above those of the
   * other one. 0: it does. `undefined`: the tokens of one of them are no times, or one did not
   * answer.
   */
  readonly safeIn: number | undefined;
  /** Why the store did not answer. */
  readonly error?: unknown;
}

/** Who takes part in a migration, how far it is, and what is in its way. */
export interface MigrationStatus {
  /** The migration's name. */
  readonly name: string;
  /** Those that could be seen: a store that does not answer hides those that use it alone. */
  readonly processes: readonly MigrationProcess[];
  /** The store that locks come from. */
  readonly from: MigrationStore;
  /** The store that locks go to. */
  readonly to: MigrationStore;
  /** Leases that both stores have: each needs both of them until its next renewal under an end. */
  readonly inBoth: readonly StoreHolder[];
  /** Why the fleet is not all in a phase, by phase. Empty: it is. */
  readonly obstacles: Readonly<Record<Phase, readonly Obstacle[]>>;
}

/** What the stores tell of a fleet. */
export interface FleetFacts extends Omit<MigrationStatus, 'obstacles'> {
  /** Names of other migrations whose processes were seen. */
  readonly others: readonly string[];
  /** How many processes there are to be. */
  readonly expected: number | undefined;
}

/** What a store is asked: one that could not be opened rejects each call. */
export type AskedStore = Pick<LockProvider, 'name' | 'inspect' | 'list' | 'time'> &
  Partial<Pick<LockProvider, 'traits'>>;

/** Which migration is asked about. */
export interface StatusQuestion extends Pick<FleetFacts, 'name' | 'expected'> {
  readonly stores: Readonly<Record<End, AskedStore>>;
  readonly runtime: Runtime;
}

/** In ms: tokens of both stores run ahead of a clock, and clocks are not read together. */
const slack = 100;

interface StoreRead {
  readonly signs: readonly (Pick<Sign, 'process' | 'note'> & { readonly presence?: End })[];
  readonly names: readonly string[];
  /** By the store's clock, in ms. `undefined`: its tokens are no times. */
  readonly now?: number | undefined;
  readonly error?: unknown;
}

/** Asks both stores, and changes nothing there. Never rejects. */
export async function readFleet({ name, stores, runtime, expected }: StatusQuestion): Promise<FleetFacts> {
  const [from, to] = await Promise.all([readStore(name, 'from', stores.from), readStore(name, 'to', stores.to)]);
  const facts = {
    name,
    processes: joinSigns([...from.signs, ...to.signs]),
    others: [...new Set([...from.names, ...to.names])].filter((each) => each !== name),
    expected,
    from: toldOf(stores.from, from, to),
    to: toldOf(stores.to, to, from),
    inBoth: [],
  };
  if (from.error !== undefined || to.error !== undefined) return facts;
  const find = async (end: End): Promise<FoundHolders> =>
    await findHolders(stores[end], stores[oppositeOf(end)], (ms) => pause(runtime, ms));
  try {
    const [inFrom, inTo] = await Promise.all([find('from'), find('to')]);
    return {
      ...facts,
      from: { ...facts.from, alone: stores.from.list && inFrom.alone },
      to: { ...facts.to, alone: stores.to.list && inTo.alone },
      inBoth: inFrom.inBoth,
    };
  } catch (error) {
    return { ...facts, from: { ...facts.from, error } };
  }
}

async function readStore(name: string, end: End, store: AskedStore): Promise<StoreRead> {
  try {
    // A process that begins to act changes its note after it has a presence.
    const present = (await store.inspect(presenceKey)).holders;
    const notes = (await store.inspect(noteKey(name))).holders;
    const signs = [
      ...present.map(({ owner }) => ({ ...readSign(owner), presence: end })),
      ...notes.map(({ owner }) => readSign(owner)),
    ];
    const names = new Set<string>();
    for await (const key of store.list?.(keysOfMigrations) ?? []) names.add(migrationOf(key) ?? name);
    const now = store.traits?.fencing === 'clock-bounded' ? await store.time?.() : undefined;
    return { signs, names: [...names], now };
  } catch (error) {
    return { signs: [], names: [], error };
  }
}

function toldOf({ name: store }: AskedStore, { now, error }: StoreRead, other: StoreRead): MigrationStore {
  const behind = now === undefined || other.now === undefined ? undefined : other.now - now;
  const safeIn = behind === undefined ? undefined : behind <= slack ? 0 : Math.ceil(behind) + slack;
  return { store, alone: undefined, safeIn, ...(error !== undefined && { error }) };
}

/** A process without a note takes part under another name, or starts. */
function joinSigns(signs: StoreRead['signs']): readonly MigrationProcess[] {
  const names = new Set(signs.map(({ process }) => process));
  return [...names].toSorted().map((process) => {
    const own = signs.filter((sign) => sign.process === process);
    const presence = own.findLast((sign) => sign.presence !== undefined)?.presence;
    const notes = own.flatMap(({ note }) => note ?? []);
    const none = { effective: presence ?? 'both', desired: presence ?? 'both' } as const;
    // It changes its notes one after the other, and `both` is first.
    const { effective, desired } = notes.find((note) => note.effective === 'both') ?? notes.at(-1) ?? none;
    return { process, desired, effective, ...(presence && { presence }) };
  });
}
