import {
  acrossProcesses,
  inOneProcess,
  isWhole,
  selection,
  withFaults,
} from '../../../conformance/test/support/selection.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/**
 * Those of `among` that say what a provider answers. The others are about core above it. Core hears
 * the same answers, with the same traits, whatever the recipe: `alone` and `ensemble` check all of
 * them, and so do variants with `LOCKS_TEST_WHOLE`.
 */
function ofTheProvider(among: Chosen): Chosen {
  return (one) => among(one) && (isWhole || one.level === 'provider');
}

/** For providers alone: all, those with faults, and those in one process. */
export const ofTheWholeProvider: Chosen = ofTheProvider(() => true);
export const ofTheProviderWithFaults: Chosen = ofTheProvider(withFaults);
export const ofTheProviderInOneProcess: Chosen = ofTheProvider(inOneProcess);

/** What depends on the layout of nodes. */
export const ofTheLayout: Chosen = selection(
  () => true,
  ...(['exclusion', 'repeat', 'release', 'renewal', 'sharing', 'token', 'queue', 'order', 'wake'] as const),
  ...(['inspection', 'connection'] as const),
);

/**
 * What depends on the rights of users, and on how the provider was made. Other processes of the
 * suite have no rights and no client, and find other nodes.
 */
export const ofAccess: Chosen = selection(
  (one) => !acrossProcesses(one),
  ...(['exclusion', 'close', 'release', 'inspection'] as const),
);

/** The same over a client, which must not repeat what it has sent. */
export const ofAccessOverClient: Chosen = (one) => ofAccess(one) || one.needs?.includes('dropReply') === true;

/** What a client of the caller's, which outlives the provider, may do in its own way. */
export const ofClientInstance: Chosen = selection(inOneProcess, 'release', 'inspection');

/** What a cut or a silence of its socket does to a client. */
export const ofClientFaults: Chosen = (one) =>
  withFaults(one) && (isWhole || one.level === 'provider' || one.about === 'connection');
