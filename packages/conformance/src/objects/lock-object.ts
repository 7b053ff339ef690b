import type { Traits } from '@locks/core';

/** A lock object of core, and what the suite asks of it. */
export interface LockObject {
  /** What it is called in tables, and in option `object`. */
  readonly name: string;
  /** The trait that a provider must have for it. */
  readonly needs?: Partial<Traits>;
  /** The requirements of exclusive locks that it is asked for, if it can have one holder. */
  readonly exclusive: readonly string[];
  /** The requirements that are about this object alone. */
  readonly own: readonly string[];
}
