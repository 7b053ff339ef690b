interface Owned {
  readonly owner: string;
}

/**
 * A list of so many has an index, which costs more than a look at each where a list is shorter.
 * The index is no part of the record, which stays plain data.
 */
const indexed = 16;
/** With fewer the index goes. If this were the same number, a list could make one at each call. */
const kept = 12;
const indexes = new WeakMap<readonly Owned[], Map<string, Owned>>();

/** What `owner` has in `list`. Lists change by `add` and `remove` only. */
export function find<T extends Owned>(list: readonly T[], owner: string): T | undefined {
  if (list.length >= indexed) return indexOf(list).get(owner) as T | undefined;
  for (const one of list) if (one.owner === owner) return one;
  return undefined;
}

/** Appends `one`, whose owner has nothing in `list`. Returns the list, which may be another one. */
export function add<T extends Owned>(list: T[], one: T): T[] {
  // An empty array that grows reserves 16 elements, and most keys have one hold.
  if (list.length === 0) return [one];
  list.push(one);
  if (list.length > kept) indexes.get(list)?.set(one.owner, one);
  return list;
}

/** Removes what `find` gave. */
export function remove<T extends Owned>(list: T[], one: T): void {
  if (list.length === kept) indexes.delete(list);
  else if (list.length > kept) indexes.get(list)?.delete(one.owner);
  if (list.length === 1) list.pop();
  else if (list[0] === one) list.shift();
  else list.splice(list.indexOf(one), 1);
}

function indexOf(list: readonly Owned[]): Map<string, Owned> {
  let index = indexes.get(list);
  if (index === undefined) {
    index = new Map(list.map((one) => [one.owner, one]));
    indexes.set(list, index);
  }
  return index;
}
