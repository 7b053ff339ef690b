import { LockError } from '@locks/core';

/** The group of the keys that have none of their own. */
export const others = '_other';

/** The keys that the library makes of a caller's key: of a job, percent-encoded, and of permits. */
const ownKey = /^(?:(once)\/([^#]*)|(semaphore)\/take\/(.*))/s;

/** What ends the part of a key that many keys share: the rest names one thing. */
const groupEnd = /[:/#]|[-_.](?=\d)/;

/**
 * The group of a key, where the caller does not say it: what stands before the first `:`, `/`, `#`,
 * or `-`, `_`, `.` before a digit. So it is `invoice` for `invoice:4711` and `invoice-4711`.
 */
export function groupOfKey(key: string): string {
  const [, once, job = '', semaphore, rest = key] = ownKey.exec(key) ?? [];
  if (once !== undefined) return `${once}/${nameIn(decoded(job))}`;
  return semaphore === undefined ? nameIn(rest) : `${semaphore}/${nameIn(rest)}`;
}

function nameIn(key: string): string {
  const end = key.search(groupEnd);
  return end < 0 ? key : key.slice(0, end);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A key of a caller that only looks like one of ours.
    return text;
  }
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
