import { isWhole, withoutFaults } from '../../../conformance/test/support/selection.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/**
 * Without a fault: what a provider answers, and how its users are woken. The rest is about core
 * above it, and is the same on every store. With `LOCKS_TEST_WHOLE` all of it.
 */
export const quick: Chosen = (one) =>
  withoutFaults(one) && (isWhole || one.level === 'provider' || one.about === 'wake' || one.needs !== undefined);

/** What happens to requests that arrive twice. */
export const duplicates: Chosen = ({ needs = [] }) => needs.includes('duplicate');
