import type { createLocks } from '@locks/core';

/**
 * The part of core that is checked together with a provider. The tests of the suite put flawed ones
 * in its place.
 */
export interface Core {
  readonly createLocks: typeof createLocks;
}
