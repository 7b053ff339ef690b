import { LockError } from '@locks/core';

/** The group of the keys without a group of their own. */
export const others = '_other';

/** Keys that the library derives from a caller's key: of a job, percent-encoded, and of permits. */
const ownKey = /^(?:(once)\/([^#]*)|(semaphore)\/take\/(.*))/s;

/** Ends the shared part of a key: what follows identifies one thing. */
const groupEnd = /[:/#]|[-_.](?=\d)/;

/**
 * The default group of a key: the part before the first `:`, `/`, `#`, or `-`, `_`, `.` before a
 * digit. `invoice:4711` and `invoice-4711` are in `invoice`.
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
    // A caller's key that only looks derived.
    return text;
  }
}

/** A bounded number of groups, as each is a permanent series of each metric. */
export class KeyGroups {
  readonly #groupOf: (key: string) => string;
  readonly #most: number;
  readonly #seen: Set<string>;

  /** `known`: the initial groups. */
  constructor(groupOf: (key: string) => string, most: number, known: Iterable<string>) {
    this.#groupOf = groupOf;
    this.#most = most;
    this.#seen = new Set(known);
  }

  /** The group of `key`: its own, or `_other` if that would exceed the limit. */
  of(key: string): string {
    const group: unknown = this.#groupOf(key);
    if (typeof group !== 'string') {
      throw new LockError('LOCK_INVALID', `instrumentLocks: "groupOf" must return a string, not ${typeof group}.`);
    }
    if (this.#seen.has(group)) return group;
    if (group === '' || this.#seen.size >= this.#most) return others;
    this.#seen.add(group);
    return group;
  }
}
