import type { Locks } from '@locks/core';

/** Repeatedly shows the state of a store. */
export interface View {
  /** Reads the state, and shows it. */
  refresh(locks: Locks): Promise<void>;
  /** Shows that the store does not answer. */
  fail(message: string): void;
  end(): void;
}
