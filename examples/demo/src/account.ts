import type { Lease } from '@locks/core';

/** What tells an early holder from a late one. */
export type Pass = Pick<Lease, 'token' | 'mode'>;

/** A bank balance that can only be read and written as a whole. */
export interface Account {
  /** With a pass, also refuses earlier holders from now on. Throws `LOCK_STALE` if a later one has been here. */
  read(pass?: Pass): number;
  /** Throws `LOCK_STALE` if a later holder has been here. */
  write(balance: number, pass?: Pass): void;
}
