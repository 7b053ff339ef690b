import type { Holder, LockProvider } from '../../contract.ts';
import type { Locks } from '../../locks.ts';
import { createLocks } from '../../manager.ts';
import type { Runtime } from '../../time/runtime.ts';
import { floorKey, freshKey, isReserved, noteKey, noteStore, presenceKey } from './keys.ts';
import type { End, Phase } from './phase.ts';

/** A process that takes part in a migration. */
export interface MigrationProcess {
  /** `host:pid`, or its label. */
  readonly process: string;
  /** Which phase its configuration says. */
  readonly desired: Phase;
  /** What it takes locks under. In `both` while it desires an end: others are in its way. */
  readonly effective: Phase;
  /**
   * Since when, in epoch ms of the store's clock. Absent where the store's tokens are no times:
   * ZooKeeper.
   */
  readonly since?: number;
}

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
  /**
   * Locks in this store that were not taken through `migrate`. At most a hundred; `undefined`: the
   * store does not list its keys, or did not answer.
   */
  readonly direct: readonly DirectHolder[] | undefined;
  /** Why the store did not answer. */
  readonly error?: unknown;
}

/** Who takes part in a migration, and how far it is. */
export interface MigrationStatus {
  readonly name: string;
  /** Those that could be seen: a store that does not answer hides those under its end. */
  readonly processes: readonly MigrationProcess[];
  readonly from: MigrationStore;
  readonly to: MigrationStore;
}

/** More than this would take long where a store has many keys. */
const mostDirect = 100;
const phases = ['from', 'both', 'to'] as const;

/** A store before it is asked: its provider, or why that could not be opened. */
export type KnownStore = { readonly provider: LockProvider } | { readonly name: string; readonly error: unknown };

/** Asks both stores. A store that does not answer is told by its `error`. Never rejects. */
export async function readStatus(
  name: string,
  stores: Readonly<Record<End, KnownStore>>,
  runtime: Runtime,
): Promise<MigrationStatus> {
  const [from, to] = (await Promise.all(
    (['from', 'to'] as const).map((end) => readStore(name, end, stores[end], runtime)),
  )) as [Read, Read];
  const processes = [...from.processes, ...to.processes].toSorted((one, other) =>
    one.process < other.process ? -1 : 1,
  );
  return { name, processes, from: from.store, to: to.store };
}

interface Read {
  readonly store: MigrationStore;
  readonly processes: readonly MigrationProcess[];
}

const unknown = { floor: undefined, plainSafeIn: undefined, direct: undefined };

async function readStore(name: string, end: End, known: KnownStore, runtime: Runtime): Promise<Read> {
  if ('error' in known) return { store: { store: known.name, ...unknown, error: known.error }, processes: [] };
  const { provider } = known;
  const locks = createLocks(provider, { ttl: 2_000, runtime });
  try {
    const processes = await readProcesses(name, end, locks);
    const { floor, plainSafeIn } = await readFloor(name, locks);
    const direct = provider.list === undefined ? undefined : await readDirect(name, locks);
    return { store: { store: provider.name, floor, plainSafeIn, direct }, processes };
  } catch (error) {
    return { store: { store: provider.name, ...unknown, error }, processes: [] };
  } finally {
    await locks.close();
  }
}

async function readProcesses(name: string, end: End, locks: Locks): Promise<readonly MigrationProcess[]> {
  const { expiry } = locks.traits;
  const found: MigrationProcess[] = [];
  const read = async (key: string, desired: Phase, effective: Phase): Promise<void> => {
    for (const { owner, token } of (await locks.inspect(key)).holders) {
      const since = expiry === 'ttl' && token !== undefined ? { since: Number(token / 1_000n) } : {};
      found.push({ process: labelOf(owner), desired, effective, ...since });
    }
  };
  await read(presenceKey(name, end), end, end);
  for (const desired of phases) if (noteStore(desired) === end) await read(noteKey(name, desired), desired, 'both');
  return found;
}

/**
 * The floor is the counter of a key, which only a grant tells. A grant of a key that was never
 * locked tells where the store's own tokens are.
 */
async function readFloor(name: string, locks: Locks): Promise<{ floor: bigint; plainSafeIn: number }> {
  const register = await locks.acquire(floorKey, { wait: 5_000 });
  await register.release();
  const fresh = await locks.acquire(freshKey(name, register.owner), { wait: 5_000 });
  await fresh.release();
  const ahead = Number(register.token - fresh.token) / 1_000;
  return { floor: register.token, plainSafeIn: Math.max(0, Math.ceil(ahead)) };
}

/** Owners of a composite end in `~` and a number. */
async function readDirect(name: string, locks: Locks): Promise<readonly DirectHolder[]> {
  const direct: DirectHolder[] = [];
  for await (const key of locks.list()) {
    if (isReserved(name, key)) continue;
    const { holders } = await locks.inspect(key);
    direct.push(...holders.filter(({ owner }) => !/~[0-9a-z]{1,12}$/.test(owner)));
    if (direct.length >= mostDirect) break;
  }
  return direct.slice(0, mostDirect);
}

function labelOf(owner: string): string {
  const end = owner.indexOf('/');
  return end > 0 ? owner.slice(0, end) : owner;
}
