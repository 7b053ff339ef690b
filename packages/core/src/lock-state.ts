import type { Holder, KeyState } from './contract.ts';

/** One holder of a key, as `inspect` of the client returns it: all that a forced release needs. */
export interface LockHolder extends Holder {
  /** The key that is held. */
  readonly key: string;
}

/** The state of one key at one moment. */
export interface LockState extends KeyState {
  /** The holders, with the key in each. */
  readonly holders: readonly LockHolder[];
}
