import type { Holder, KeyState } from './contract.ts';

/** One holder of a key, as `inspect` of a `Locks` gives it: all that a release by force needs. */
export interface LockHolder extends Holder {
  readonly key: string;
}

/** The state of one key at one moment. */
export interface LockState extends KeyState {
  readonly holders: readonly LockHolder[];
}
