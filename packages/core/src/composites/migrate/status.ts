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
  /**
   * What it takes locks under. In `both` while it desires an end: others are in its way, or it
   * looks for them. In an end that it does not desire: it has leases there, and takes no more.
   */
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
  const processes = joinSigns([...from.signs, ...to.signs]);
  return { name, processes, from: from.store, to: to.store };
}

/** A lease by which a process tells of its phase. */
interface Sign {
  readonly process: string;
  /** `undefined`: a note. */
  readonly presence: End | undefined;
  /** Of a note: which phase the process is to be in. */
  readonly desired: Phase;
  readonly since?: number;
}

interface Read {
  readonly store: MigrationStore;
  readonly signs: readonly Sign[];
}

/**
 * What the signs tell of the processes. A process with a note and a presence enters that end, or
 * leaves it. Processes may have one label: then a process may be missing, and another one seems to
 * be on its way.
 */
function joinSigns(signs: readonly Sign[]): readonly MigrationProcess[] {
  const notes = signs.filter(({ presence }) => presence === undefined);
  const found: MigrationProcess[] = [];
  const add = ({ process, desired, since }: Sign, effective: Phase): void => {
    found.push({ process, desired, effective, ...(since === undefined ? {} : { since }) });
  };
  for (const sign of signs) {
    const { presence, process } = sign;
    if (presence === undefined) continue;
    const own = notes.filter((note) => note.process === process);
    const note = own.find(({ desired }) => desired === presence) ?? own[0];
    if (note === undefined) add(sign, presence);
    else {
      notes.splice(notes.indexOf(note), 1);
      add(note, note.desired === presence ? 'both' : presence);
    }
  }
  for (const note of notes) add(note, 'both');
  return found.toSorted((one, other) => (one.process < other.process ? -1 : 1));
}

const unknown = { floor: undefined, plainSafeIn: undefined, direct: undefined };

async function readStore(name: string, end: End, known: KnownStore, runtime: Runtime): Promise<Read> {
  if ('error' in known) return { store: { store: known.name, ...unknown, error: known.error }, signs: [] };
  const { provider } = known;
  const locks = createLocks(provider, { ttl: 2_000, runtime });
  try {
    const signs = await readSigns(name, end, locks);
    const { floor, plainSafeIn } = await readFloor(name, locks);
    const direct = provider.list === undefined ? undefined : await readDirect(name, locks);
    return { store: { store: provider.name, floor, plainSafeIn, direct }, signs };
  } catch (error) {
    return { store: { store: provider.name, ...unknown, error }, signs: [] };
  } finally {
    await locks.close();
  }
}

async function readSigns(name: string, end: End, locks: Locks): Promise<readonly Sign[]> {
  const { expiry } = locks.traits;
  const found: Sign[] = [];
  const read = async (key: string, desired: Phase, present?: End): Promise<void> => {
    for (const { owner, token } of (await locks.inspect(key)).holders) {
      const since = expiry === 'ttl' && token !== undefined ? { since: Number(token / 1_000n) } : {};
      found.push({ process: labelOf(owner), presence: present, desired, ...since });
    }
  };
  // A process that begins to act gives its note back: what was read first does not hide it.
  await read(presenceKey(name, end), end, end);
  for (const desired of phases) if (noteStore(desired) === end) await read(noteKey(name, desired), desired);
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
