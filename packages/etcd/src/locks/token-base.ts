import { misconfigured } from '@locks/core/adapter';
import type { Clock } from '@locks/core/adapter';
import { source } from '../options/options.ts';
import type { KeyValue } from '../wire/messages.ts';

/**
 * A token is this base plus the revision of the write that granted. One key of etcd has it, for
 * all keys below the prefix.
 */
export interface Base {
  readonly value: bigint;
  /** The revision of its last write. 0: there is none. */
  readonly changed: bigint;
}

/**
 * How much more than a floor the base is raised, in µs. If floors follow the clock of another
 * store, the base is raised once in this time. More runs further ahead of that clock.
 */
const headroom = 1_000_000n;

/**
 * The base of all tokens below the prefix. It begins at the clock, so tokens compare with those of
 * other stores. It only grows, and each grant compares that it is unchanged.
 */
export class TokenBase {
  readonly #clock: Clock;
  #known: Base = { value: 0n, changed: 0n };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As last read. */
  get known(): Base {
    return this.#known;
  }

  /** The base that was read at `revision`. If it was removed, the last known one continues. */
  in({ base, revision }: { readonly base: Base; readonly revision: bigint }): Base {
    if (base.changed === 0n) {
      const gone = { value: this.#known.value, changed: 0n };
      if (revision >= this.#known.changed) this.#known = gone;
      return gone;
    }
    if (base.changed > this.#known.changed) this.#known = base;
    return base;
  }

  /**
   * The base for a write after `revision` whose token must exceed `floor`. With less `room`, the
   * next floor raises it again.
   */
  above({ value, changed }: Base, floor: bigint, revision: bigint = changed, room: bigint = headroom): bigint {
    const begin = BigInt(Math.floor((this.#clock.origin + this.#clock.now()) * 1_000));
    const least = changed === 0n && begin > value ? begin : value;
    return least + revision >= floor ? least : floor - revision + room;
  }

  /** A write at `revision` has changed it from `from` to `to`. */
  written(from: Base, to: bigint, revision: bigint): void {
    if (raises(from, to)) this.in({ base: { value: to, changed: revision }, revision });
  }
}

/** Whether the key of the base must be written to become `to`. */
export function raises({ value, changed }: Base, to: bigint): boolean {
  return changed === 0n || to !== value;
}

/**
 * Reads the base.
 * @throws `LOCK_MISCONFIGURED` for a value that is not of this package.
 */
export function readBase({ key, value, modRevision }: KeyValue): Base {
  const text = value.toString();
  if (/^\d{1,18}$/.test(text)) return { value: BigInt(text), changed: BigInt(modRevision) };
  throw misconfigured(
    source.where,
    `the key ${JSON.stringify(key.toString())} in etcd has a value that this version cannot read; use the version that wrote it, or remove the key: tokens then continue from the clock`,
  );
}
