import type { LockError } from '@locks/core/adapter';

/** How this process hears that it is somebody's turn. It wakes the places it was made with. */
export interface Wakes {
  /** Whether a turn would be heard of now, as far as is known. */
  readonly open: boolean;
  /** Opens it, unless that is done or under way; resolves when turns are heard of. */
  start(): Promise<void>;
  /** Asks whether it still hears, if it was silent for long. */
  probe(): void;
  /** Ends it; those who wait for it are rejected with `reason`. */
  close(reason: LockError): void;
}
