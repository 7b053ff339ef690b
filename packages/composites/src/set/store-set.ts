/** The members of a composite, as the stores that they are. */
export interface StoreSet {
  /** How many must agree. */
  readonly need: number;
  /** Their ids, in the order of the members. `undefined`: it did not tell its id yet. */
  readonly stores: readonly (string | undefined)[];
}

/** A process that says which set it uses. */
export interface Announced {
  /** Its presence, as all members know it. */
  readonly owner: string;
  /** As `host:pid`. */
  readonly process: string;
  readonly set: StoreSet;
  /** Of the presence at this member: a later one is higher. */
  readonly token: bigint | undefined;
}

/** Why two sets must not be in use at once. */
export type Conflict = 'order' | 'stores';

/**
 * So much of an id is in an owner: 48 random bits. With fewer, two stores of one fleet may be taken
 * for one. With more, fewer stores have room.
 */
export const idLength = 8;
/** More would not fit into an owner. Such a set is not announced. */
export const mostStores = 16;
const longestOwner = 230;

/** What owners of a presence begin with: the process, and its set. */
export function presenceLabel(process: string, { need, stores }: StoreSet): string {
  const set = `!${need}!${stores.map((id) => id ?? '').join('.')}`;
  return process.slice(0, longestOwner - 40 - set.length) + set;
}

/** What the owner of a presence tells. `undefined`: it is none. */
export function readOwner(owner: string): Pick<Announced, 'process' | 'set'> | undefined {
  const [, process, need, ids] = /^(.+)!(\d+)!([\w.-]*)\//.exec(owner) ?? [];
  if (process === undefined || ids === undefined) return undefined;
  return { process, set: { need: Number(need), stores: ids.split('.').map((id) => (id === '' ? undefined : id)) } };
}

/**
 * Whether two sets may be in use at once: each quorum of one has a store in common with each quorum
 * of the other, and the common stores have one order. A store that is not known yet may be any.
 */
export function conflictOf(one: StoreSet, other: StoreSet): Conflict | undefined {
  const [left, right] = [one.stores, other.stores];
  const common = left.filter((id) => id !== undefined && right.includes(id));
  if (common.join('.') !== right.filter((id) => id !== undefined && left.includes(id)).join('.')) return 'order';
  const unknown = [...left, ...right].filter((id) => id === undefined).length;
  const shared = common.length + Math.min(left.length - common.length, right.length - common.length, unknown);
  // How many common stores a quorum takes at least.
  const least = (set: StoreSet): number => Math.max(0, set.need - (set.stores.length - shared));
  return least(one) + least(other) > shared ? undefined : 'stores';
}

/**
 * Whether the sets are the same, but for members that may have lost their data, and have a new id
 * since.
 */
export function mayBeEmptied(one: StoreSet, other: StoreSet): boolean {
  const [left, right] = [one.stores, other.stores];
  return (
    one.need === other.need &&
    left.length === right.length &&
    left.every((id, index) => id === right[index] || (!right.includes(id) && !left.includes(right[index])))
  );
}

/**
 * Of processes with sets that must not be in use at once, the later one gives way. `token`: of the
 * own presence where the others were seen. Without it they are earlier.
 */
export function givesWay(token: bigint | undefined, other: Announced): boolean {
  return token === undefined || other.token === undefined || other.token < token;
}

/** Two members that are one store. */
export function twinsOf({ stores }: StoreSet): readonly [number, number] | undefined {
  const second = stores.findIndex((id, index) => id !== undefined && stores.indexOf(id) < index);
  return second === -1 ? undefined : [stores.indexOf(stores[second]), second];
}
