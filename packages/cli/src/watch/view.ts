import type { Locks } from '@locks/core';

/** What shows the state of a store again and again. */
export interface View {
  /** Looks, and shows what it sees. */
  refresh(locks: Locks): Promise<void>;
  /** Shows that the store does not answer. */
  fail(message: string): void;
  end(): void;
}
