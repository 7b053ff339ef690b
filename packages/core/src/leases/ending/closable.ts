import type { LockError } from '../../errors/lock-error.ts';
import type { Linked } from './linked-set.ts';

/** A lease or an acquisition, as `Locks.close` sees it. */
export interface Closable extends Linked {
  /** Ends it because its `Locks` is closing. */
  close(reason: LockError): void;
}
