interface Owned {
  readonly owner: string;
}

/** Invisible to JSON and `structuredClone`, so a list stays plain data. */
const index: unique symbol = Symbol('index');

/** Some of a record's claims, in order. Only `add` and `remove` change a list. */
export type Claims<T extends Owned> = T[] & { [index]?: Map<string, T> | undefined };

/**
 * The length from which a list has an index. For a shorter list, an index costs more than a scan.
 */
const indexed = 16;
/**
 * With fewer the index is dropped. If both numbers were equal, a list could rebuild it at each
 * call.
 */
const kept = 12;

/** The entry of `owner` in `list`. */
export function find<T extends Owned>(list: Claims<T>, owner: string): T | undefined {
  if (list.length >= indexed) {
    list[index] ??= new Map(list.map((one) => [one.owner, one]));
    return list[index].get(owner);
  }
  for (const one of list) if (one.owner === owner) return one;
  return undefined;
}

/** An empty list. An empty array that grows would reserve 16 elements. */
export const noClaims: never[] & Claims<never> = [];

/** Appends `one`, whose owner is not in `list`. Returns the list, which may be another one. */
export function add<T extends Owned>(list: Claims<T>, one: T): Claims<T> {
  if (list === noClaims) return [one];
  list.push(one);
  if (list.length > kept) list[index]?.set(one.owner, one);
  return list;
}

/** Removes what `find` returned. */
export function remove<T extends Owned>(list: Claims<T>, one: T): void {
  if (list.length === kept && list[index] !== undefined) list[index] = undefined;
  else if (list.length > kept) list[index]?.delete(one.owner);
  if (list.length === 1) list.pop();
  else if (list[0] === one) list.shift();
  else list.splice(list.indexOf(one), 1);
}
