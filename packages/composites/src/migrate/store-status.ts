import type { LockProvider } from '@locks/core';
import { floorAt, floorRegister, lineText, readLine } from '@locks/core/composite';
import { findDirect } from './holders.ts';
import type { DirectHolder } from './holders.ts';
import { keysOfMigrations, markRegister, migrationOf } from './keys.ts';
import type { End } from './phase.ts';
import { readSigns } from './process-signs.ts';
import type { Sign } from './process-signs.ts';

/** What a migration is like in one of its stores. */
export interface MigrationStore {
  /** The provider's name. */
  readonly store: string;
  /** Tokens of a process that acts under this end exceed it. `undefined`: they need no floor. */
  readonly floor: bigint | undefined;
  /**
   * Option `tokenFloor` of the provider of this store, without `migrate`: then its tokens exceed
   * all that were given. Absent: it needs none.
   */
  readonly tokenFloor?: string;
  /**
   * In so many ms the provider of this store, without `migrate` and without that option, gives
   * tokens above all that were given. 0: it does now. A process that begins to act under this end
   * may put it off. `undefined`: the store did not answer, or has no clock to compare with.
   */
  readonly plainSafeIn: number | undefined;
  /**
   * Locks in this store that were not taken through `migrate`. At most a hundred; `undefined`: the
   * store does not list its keys, or did not answer.
   */
  readonly direct: readonly DirectHolder[] | undefined;
  /** Why the store did not answer. */
  readonly error?: unknown;
}

/** A store before it is asked: its provider, or why that could not be opened. */
export type KnownStore = { readonly provider: LockProvider } | { readonly name: string; readonly error: unknown };

/** What a store tells of a migration. */
export interface StoreRead {
  readonly store: MigrationStore;
  readonly signs: readonly Sign[];
  /** Processes left its end for the other one, and the fleet has not been in both since. */
  readonly left: boolean;
  /** Names of migrations whose processes it shows. */
  readonly names: readonly string[];
}

const unknown = { floor: undefined, plainSafeIn: undefined, direct: undefined };
/** Of a floor, per ms: so it comes nearer to the clock. */
const nearer = 500n;

/** Asks the store of `end`, and changes nothing there. Never rejects. */
export async function readStore(name: string, end: End, known: KnownStore): Promise<StoreRead> {
  if ('error' in known) return silent(known.name, known.error);
  const { provider } = known;
  try {
    const signs = await readSigns(name, end, provider);
    const floor = await readFloor(provider);
    const names = await readNames(provider);
    const direct = provider.list && (await findDirect(provider));
    const left = (await provider.register?.(markRegister(name, end))) !== undefined;
    return { store: { store: provider.name, ...floor, direct }, signs, left, names };
  } catch (error) {
    return silent(provider.name, error);
  }
}

function silent(store: string, error: unknown): StoreRead {
  return { store: { store, ...unknown, error }, signs: [], left: false, names: [] };
}

async function readFloor(
  provider: LockProvider,
): Promise<Pick<MigrationStore, 'floor' | 'plainSafeIn' | 'tokenFloor'>> {
  // Others keep their counters, and so the floor.
  if (provider.traits.fencing !== 'clock-bounded') return { floor: undefined, plainSafeIn: 0 };
  const now = await provider.time?.();
  if (now === undefined) return { floor: undefined, plainSafeIn: undefined };
  const line = readLine(await provider.register?.(floorRegister));
  const [floor, clock] = [line === undefined ? 0n : floorAt(line, now), BigInt(Math.floor(now)) * 1_000n];
  if (line === undefined || floor <= clock) return { floor: undefined, plainSafeIn: 0 };
  return { floor, plainSafeIn: Number((floor - clock + nearer - 1n) / nearer), tokenFloor: lineText(line, now) };
}

async function readNames(provider: LockProvider): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const key of provider.list?.(keysOfMigrations) ?? []) names.add(migrationOf(key) ?? '');
  names.delete('');
  return [...names];
}
