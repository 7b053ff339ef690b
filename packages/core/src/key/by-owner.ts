interface Owned {
  readonly owner: string;
}

/** Neither JSON nor `structuredClone` sees it, so a list stays plain data. */
const index: unique symbol = Symbol('index');

/** Some of a record's claims, in their order. Only `add` and `remove` change a list. */
export type Claims<T extends Owned> = T[] & { [index]?: Map<string, T> | undefined };

/** A list of so many has an index. Where a list is shorter, that costs more than a look at each. */
const indexed = 16;
/** With fewer the index goes. If this were the same number, a list could make one at each call. */
const kept = 12;

/** What `owner` has in `list`. */
export function find<T extends Owned>(list: Claims<T>, owner: string): T | undefined {
  if (list.length >= indexed) {
    list[index] ??= new Map(list.map((one) => [one.owner, one]));
    return list[index].get(owner);
  }
  for (const one of list) if (one.owner === owner) return one;
  return undefined;
}

/** A list before its first claim. An empty array that grows would reserve 16 elements. */
export const noClaims: never[] & Claims<never> = [];

/** Appends `one`, whose owner has nothing in `list`. Returns the list, which may be another one. */
export function add<T extends Owned>(list: Claims<T>, one: T): Claims<T> {
  if (list === noClaims) return [one];
  list.push(one);
  if (list.length > kept) list[index]?.set(one.owner, one);
  return list;
}

/** Removes what `find` gave. */
export function remove<T extends Owned>(list: Claims<T>, one: T): void {
  if (list.length === kept && list[index] !== undefined) list[index] = undefined;
  else if (list.length > kept) list[index]?.delete(one.owner);
  if (list.length === 1) list.pop();
  else if (list[0] === one) list.shift();
  else list.splice(list.indexOf(one), 1);
}
