import type { createLocks } from '@locks/core';

/**
 * The part of core that is checked together with a provider. The tests of the suite replace it by
 * flawed ones.
 */
export interface Core {
  readonly createLocks: typeof createLocks;
}
