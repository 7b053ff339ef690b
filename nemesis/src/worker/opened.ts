import type { Locks } from '@locks/core';

/** Locks, and how they are closed with all that was opened for them. */
export interface Opened {
  readonly locks: Locks;
  close(): Promise<void>;
}
