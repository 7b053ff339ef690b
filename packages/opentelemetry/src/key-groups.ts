import { LockError } from '@locks/core';

/** The group of the keys that have none of their own. */
const others = '_other';

/** How the keys begin that the library makes of a caller's key. */
const ownPrefix = /^(once|semaphore)\/(?:\d+:|take\/)/;

/** What ends the part of a key that many keys share: the rest names one thing. */
const groupEnd = /[:/#]|[-_.](?=\d)/;

/**
 * The group of a key, where the caller does not say it: what stands before the first `:`, `/`, `#`,
 * or `-`, `_`, `.` before a digit. So it is `invoice` for `invoice:4711` and `invoice-4711`.
 */
export function groupOfKey(key: string): string {
  const [prefix = '', kind] = ownPrefix.exec(key) ?? [];
  const rest = key.slice(prefix.length);
  const end = rest.search(groupEnd);
  const name = end < 0 ? rest : rest.slice(0, end);
  return kind === undefined ? name : `${kind}/${name}`;
}

/** Groups of keys: at most so many, as each is a series of each metric for ever. */
export class KeyGroups {
  readonly #groupOf: (key: string) => string;
  readonly #most: number;
  readonly #seen: Set<string>;

  /** `known`: the groups that are there from the start. */
  constructor(groupOf: (key: string) => string, most: number, known: Iterable<string>) {
    this.#groupOf = groupOf;
    this.#most = most;
    this.#seen = new Set(known);
  }

  /** The group of `key`: its own, or `_other` where that one would be too many. */
  of(key: string): string {
    const group: unknown = this.#groupOf(key);
    if (typeof group !== 'string') {
      throw new LockError('LOCK_INVALID', `instrumentLocks: "groupOf" must give a string, not ${typeof group}.`);
    }
    if (this.#seen.has(group)) return group;
    if (group === '' || this.#seen.size >= this.#most) return others;
    this.#seen.add(group);
    return group;
  }
}
