import type { LockProvider } from '@locks/core';
import type { Runtime } from '@locks/core/adapter';
import { findHolders } from './holders.ts';
import type { StoreHolder } from './holders.ts';
import { keysOfMigrations, migrationOf, noteKey, presenceKey, readSign } from './keys.ts';
import type { Sign } from './keys.ts';
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

/** What the stores tell of a fleet. */
export interface FleetFacts {
  readonly name: string;
  readonly processes: readonly MigrationProcess[];
  readonly stores: Readonly<Record<End, MigrationStore>>;
  readonly inBoth: readonly StoreHolder[];
  /** Names of other migrations whose processes were seen. */
  readonly others: readonly string[];
  /** How many processes there are to be. */
  readonly expected: number | undefined;
}

/** A store before it is asked: its provider, or why that could not be opened. */
export type KnownStore = { readonly provider: LockProvider } | { readonly name: string; readonly error: unknown };

/** Which migration is asked about. */
export interface StatusQuestion extends Pick<FleetFacts, 'name' | 'expected'> {
  readonly stores: Readonly<Record<End, KnownStore>>;
  readonly runtime: Runtime;
}

/** In ms: tokens of both stores run ahead of a clock, and clocks are not read together. */
const slack = 100;

interface StoreRead {
  readonly store: string;
  readonly signs: readonly (Sign & { readonly presence?: End })[];
  readonly names: readonly string[];
  /** By the store's clock, in ms. `undefined`: its tokens are no times. */
  readonly now?: number | undefined;
  readonly error?: unknown;
}

/** Asks both stores, and changes nothing there. Never rejects. */
export async function readFleet({ name, stores, runtime, expected }: StatusQuestion): Promise<FleetFacts> {
  const [from, to] = await Promise.all([readStore(name, 'from', stores.from), readStore(name, 'to', stores.to)]);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms, true));
  const told = { from: toldOf(from, to), to: toldOf(to, from) };
  let inBoth: readonly StoreHolder[] = [];
  const { from: one, to: other } = stores;
  if (from.error === undefined && to.error === undefined && 'provider' in one && 'provider' in other) {
    try {
      const [inFrom, inTo] = await Promise.all([
        findHolders(one.provider, other.provider, pause),
        findHolders(other.provider, one.provider, pause),
      ]);
      ({ inBoth } = inFrom);
      if (one.provider.list !== undefined) told.from = { ...told.from, alone: inFrom.alone };
      if (other.provider.list !== undefined) told.to = { ...told.to, alone: inTo.alone };
    } catch (error) {
      told.from = { ...told.from, error };
    }
  }
  const others = [...new Set([...from.names, ...to.names])].filter((each) => each !== name);
  return { name, processes: joinSigns([...from.signs, ...to.signs]), stores: told, inBoth, others, expected };
}

async function readStore(name: string, end: End, known: KnownStore): Promise<StoreRead> {
  if ('error' in known) return { store: known.name, signs: [], names: [], error: known.error };
  const { provider } = known;
  const { name: store, traits } = provider;
  try {
    // A process that begins to act changes its note after it has a presence.
    const present = (await provider.inspect(presenceKey)).holders;
    const notes = (await provider.inspect(noteKey(name))).holders;
    const signs = [
      ...present.map(({ owner }) => ({ ...readSign(owner), presence: end })),
      ...notes.map(({ owner }) => readSign(owner)),
    ];
    const names = new Set<string>();
    for await (const key of provider.list?.(keysOfMigrations) ?? []) names.add(migrationOf(key) ?? name);
    const now = traits.fencing === 'clock-bounded' ? await provider.time?.() : undefined;
    return { store, signs, names: [...names], now };
  } catch (error) {
    return { store, signs: [], names: [], error };
  }
}

function toldOf({ store, now, error }: StoreRead, other: StoreRead): MigrationStore {
  const behind = now === undefined || other.now === undefined ? undefined : other.now - now;
  const safeIn = behind === undefined ? undefined : behind <= slack ? 0 : Math.ceil(behind) + slack;
  return { store, alone: undefined, safeIn, ...(error !== undefined && { error }) };
}

/** A process without a note takes part under another name, or starts. */
function joinSigns(signs: StoreRead['signs']): readonly MigrationProcess[] {
  const found = new Map<string, Partial<MigrationProcess>>();
  for (const { process, effective, desired, presence } of signs) {
    const before = found.get(process);
    found.set(process, {
      ...before,
      ...(presence && { presence }),
      // It changes its notes one after the other, and `both` is first.
      ...(effective && before?.effective !== 'both' && { effective, desired }),
    });
  }
  return [...found]
    .map(([process, { presence, effective = presence ?? 'both', desired = presence ?? 'both' }]) => ({
      process,
      desired,
      effective,
      ...(presence && { presence }),
    }))
    .toSorted((one, other) => (one.process < other.process ? -1 : 1));
}
