/** So many lists. With fewer they are longer where a process asks for thousands of keys at once. */
const lists = 256;

/** An entry of one table. */
export interface KeyEntry<T> {
  readonly key: string;
  /** The entry after it in its list. It belongs to the table. */
  next: T | undefined;
}

/**
 * Entries by key that live for the time of one call. A `Map` would make a new table after every few
 * of them, and those of its tables that the collector has moved once keep all later ones: see ADR
 * 99.
 */
export class KeyTable<T extends KeyEntry<T>> {
  readonly #lists = Array.from<T | undefined>({ length: lists }).fill(undefined);
  #size = 0;

  get(key: string): T | undefined {
    if (this.#size === 0) return undefined;
    let entry = this.#lists[listOf(key)];
    while (entry !== undefined && entry.key !== key) entry = entry.next;
    return entry;
  }

  /** Its key has no entry. */
  add(entry: T): void {
    const list = listOf(entry.key);
    entry.next = this.#lists[list];
    this.#lists[list] = entry;
    this.#size += 1;
  }

  delete(entry: T): void {
    const list = listOf(entry.key);
    let before = this.#lists[list];
    if (before === entry) this.#lists[list] = entry.next;
    while (before !== undefined && before.next !== entry) before = before.next;
    if (before !== undefined) before.next = entry.next;
    entry.next = undefined;
    this.#size -= 1;
  }

  all(): readonly T[] {
    const found: T[] = [];
    for (const list of this.#lists) for (let entry = list; entry !== undefined; entry = entry.next) found.push(entry);
    return found;
  }
}

function listOf(key: string): number {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1) hash = (hash * 31 + key.charCodeAt(index)) | 0;
  return hash & (lists - 1);
}
