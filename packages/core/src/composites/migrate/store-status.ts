import type { Holder, LockProvider } from '../../contract.ts';
import type { Locks } from '../../locks.ts';
import { createLocks } from '../../manager.ts';
import type { Runtime } from '../../time/runtime.ts';
import { floorKey, migrationOf } from './keys.ts';
import type { End } from './phase.ts';
import { readSigns } from './process-signs.ts';
import type { Sign } from './process-signs.ts';

/** A lock of a process that does not take part, and so cannot be seen by the others. */
export interface DirectHolder extends Holder {
  readonly key: string;
}

/** What a migration is like in one of its stores. */
export interface MigrationStore {
  /** The provider's name. */
  readonly store: string;
  /** Tokens of a process that acts under this end exceed it. */
  readonly floor: bigint | undefined;
  /**
   * In so many ms the provider of this store, without `migrate`, gives tokens above all that were
   * given. 0: it does now. `undefined`: the store did not answer.
   */
  readonly plainSafeIn: number | undefined;
  readonly tokenFloor?: string;
  /**
   * Locks in this store that were not taken through `migrate`. At most a hundred; `undefined`: the
   * store does not list its keys, or did not answer.
   */
  readonly direct: readonly DirectHolder[] | undefined;
  /** Why the store did not answer. */
  readonly error?: unknown;
}

/** More than this would take long where a store has many keys. */
const mostDirect = 100;

/** A store before it is asked: its provider, or why that could not be opened. */
export type KnownStore = { readonly provider: LockProvider } | { readonly name: string; readonly error: unknown };

/** What a store tells of a migration. */
export interface StoreRead {
  readonly store: MigrationStore;
  readonly signs: readonly Sign[];
  /** Names of migrations whose processes it shows. */
  readonly names: readonly string[];
}

const unknown = { floor: undefined, plainSafeIn: undefined, direct: undefined };

/** Asks the store of `end`, and leaves nothing there. Never rejects. */
export async function readStore(name: string, end: End, known: KnownStore, runtime: Runtime): Promise<StoreRead> {
  const silent = (store: string, error: unknown): StoreRead => ({
    store: { store, ...unknown, error },
    signs: [],
    names: [],
  });
  if ('error' in known) return silent(known.name, known.error);
  const { provider } = known;
  const locks = createLocks(provider, { ttl: 2_000, runtime });
  try {
    const signs = await readSigns(name, end, locks);
    const { floor, plainSafeIn } = await readFloor(provider, locks);
    const { names, direct } = provider.list === undefined ? { names: [], direct: undefined } : await readKeys(locks);
    return { store: { store: provider.name, floor, plainSafeIn, direct }, signs, names };
  } catch (error) {
    return silent(provider.name, error);
  } finally {
    await locks.close();
  }
}

/** The floor is the counter of a key, which only a grant tells. */
async function readFloor(
  provider: LockProvider,
  locks: Locks,
): Promise<{ floor: bigint; plainSafeIn: number | undefined }> {
  const register = await locks.acquire(floorKey, { wait: 5_000 });
  await register.release();
  const now = await provider.time?.();
  const ahead = now === undefined ? 0 : Number(register.token) / 1_000 - now;
  return { floor: register.token, plainSafeIn: Math.max(0, Math.ceil(ahead)) };
}

/** Owners of a composite end in `~` and a number. */
async function readKeys(locks: Locks): Promise<{ names: readonly string[]; direct: readonly DirectHolder[] }> {
  const names = new Set<string>();
  const direct: DirectHolder[] = [];
  for await (const key of locks.list()) {
    const migration = migrationOf(key);
    if (migration !== undefined) names.add(migration);
    if (migration !== undefined || key === floorKey || direct.length >= mostDirect) continue;
    const { holders } = await locks.inspect(key);
    direct.push(...holders.filter(({ owner }) => !/~[0-9a-z]{1,12}$/.test(owner)));
  }
  return { names: [...names], direct: direct.slice(0, mostDirect) };
}
