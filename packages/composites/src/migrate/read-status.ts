import type { LockProvider } from '@locks/core';
import { pause } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { findHolders } from './holders.ts';
import type { FoundHolders } from './holders.ts';
import { keysOfMigrations, migrationOf, noteKey, presenceKey, readSign } from './keys.ts';
import type { Sign } from './keys.ts';
import { obstaclesIn } from './obstacles.ts';
import { oppositeOf } from './phase.ts';
import type { End } from './phase.ts';
import type { MigrationProcess, MigrationStatus, MigrationStore } from './status.ts';

/** The calls for a status: a store that could not be opened rejects each of them. */
export type AskedStore = Pick<LockProvider, 'name' | 'inspect' | 'list' | 'time'> &
  Partial<Pick<LockProvider, 'traits'>>;

export interface StatusQuestion {
  readonly name: string;
  /** The expected number of processes. */
  readonly expected: number | undefined;
  readonly stores: Readonly<Record<End, AskedStore>>;
  readonly runtime: Runtime;
}

/** In ms: tokens of both stores run ahead of a clock, and the clocks are not read together. */
const slack = 100;

interface StoreRead {
  readonly signs: readonly (Pick<Sign, 'process' | 'note'> & { readonly presence?: End })[];
  readonly names: readonly string[];
  /** By the store's clock, in ms. `undefined`: its tokens are no times. */
  readonly now?: number | undefined;
  readonly error?: unknown;
}

/** Reads both stores, and changes nothing there. Never rejects. */
export async function readStatus({ name, stores, runtime, expected }: StatusQuestion): Promise<MigrationStatus> {
  const [from, to] = await Promise.all([readStore(name, 'from', stores.from), readStore(name, 'to', stores.to)]);
  const told = { from: toldOf(stores.from, from, to), to: toldOf(stores.to, to, from) };
  const processes = joinSigns([...from.signs, ...to.signs]);
  const names = new Set([...from.names, ...to.names]);
  const give = (more: Pick<MigrationStatus, 'from' | 'to' | 'inBoth'>): MigrationStatus => {
    const facts = { name, processes, ...more };
    return { ...facts, obstacles: obstaclesIn(facts, { expected, names }) };
  };
  if (from.error !== undefined || to.error !== undefined) return give({ ...told, inBoth: [] });
  const find = async (end: End): Promise<FoundHolders> =>
    await findHolders(stores[end], stores[oppositeOf(end)], (ms) => pause(runtime, ms));
  try {
    const [inFrom, inTo] = await Promise.all([find('from'), find('to')]);
    return give({
      from: { ...told.from, alone: stores.from.list && inFrom.alone },
      to: { ...told.to, alone: stores.to.list && inTo.alone },
      inBoth: inFrom.inBoth,
    });
  } catch (error) {
    return give({ ...told, from: { ...told.from, error }, inBoth: [] });
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
