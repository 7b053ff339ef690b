import { needsFault } from '@locks/conformance';
import type { Requirement, Subject } from '@locks/conformance';

/** Which requirements a variant of the provider is checked against. */
export type Chosen = (requirement: Requirement) => boolean;

/**
 * Those of `among` that are about one of `subjects`. With `LOCKS_TEST_WHOLE` all of `among`, as the
 * long runs do; what a variant does not touch is checked elsewhere in any case.
 */
function selection(among: Chosen, ...subjects: readonly Subject[]): Chosen {
  return (one) => among(one) && (process.env['LOCKS_TEST_WHOLE'] !== undefined || subjects.includes(one.about));
}

/**
 * Those of `among` that say what a provider answers. The others are about core above it. Core hears
 * the same answers, with the same traits, whatever the recipe: `alone` and `ensemble` check all of
 * them, and so do variants with `LOCKS_TEST_WHOLE`.
 */
function ofTheProvider(among: Chosen): Chosen {
  return (one) => among(one) && (process.env['LOCKS_TEST_WHOLE'] !== undefined || one.level === 'provider');
}

const every: Chosen = () => true;

/** Those that need a fault. */
export const withFaults: Chosen = needsFault;

/** The others. */
export const withoutFaults: Chosen = (one) => !needsFault(one);

/** Those that need other processes. */
export const acrossProcesses: Chosen = ({ needs = [] }) => needs.includes('processes');

const inOneProcess: Chosen = ({ needs = [] }) => needs.length === 0;

/** What a provider answers in one process, without a fault. */
export const answers: Chosen = (one) => one.level === 'provider' && inOneProcess(one);

/** What users see of that, who wait. */
export const users: Chosen = (one) => one.level === 'locks' && inOneProcess(one);

/** For providers alone: without faults, with them, and in one process. */
export const ofTheProviderWithoutFaults: Chosen = ofTheProvider(withoutFaults);
export const ofTheProviderWithFaults: Chosen = ofTheProvider(withFaults);
export const ofTheProviderInOneProcess: Chosen = ofTheProvider(inOneProcess);

/** What depends on the layout of nodes. */
export const ofTheLayout: Chosen = selection(
  every,
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
  withFaults(one) &&
  (process.env['LOCKS_TEST_WHOLE'] !== undefined || one.level === 'provider' || one.about === 'connection');
