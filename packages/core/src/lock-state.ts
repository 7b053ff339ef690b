import type { Holder, KeyState } from './contract.ts';

/** One holder of a key, as `inspect` of a `Locks` gives it: all that a release by force needs. */
export interface LockHolder extends Holder {
  /** The key that is held. */
  readonly key: string;
}

/** The state of one key at one moment. */
export interface LockState extends KeyState {
  /** Those who hold the key, with the key in each. */
  readonly holders: readonly LockHolder[];
}
