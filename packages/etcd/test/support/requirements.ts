import { needsFault } from '@locks/conformance';
import type { Requirement } from '@locks/conformance';

/** Which requirements a variant of the provider is checked against. */
export type Chosen = (requirement: Requirement) => boolean;

/**
 * Without a fault: what a provider answers, and how its users are woken. The rest is about core
 * above it, and is the same on every store. With `LOCKS_TEST_WHOLE` all of it.
 */
export const quick: Chosen = (one) =>
  !needsFault(one) &&
  (process.env['LOCKS_TEST_WHOLE'] !== undefined ||
    one.level === 'provider' ||
    one.about === 'wake' ||
    one.needs !== undefined);

/** Those that need a fault. */
export const withFaults: Chosen = needsFault;

/** What happens in one process, without a fault. */
export const inOneProcess: Chosen = ({ needs = [] }) => needs.every((need) => need === 'createOther');

/** What happens to requests that arrive twice. */
export const duplicates: Chosen = ({ needs = [] }) => needs.includes('duplicate');
