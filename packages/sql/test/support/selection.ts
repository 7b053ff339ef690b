import { needsFault } from '@locks/conformance';
import type { Requirement, Subject } from '@locks/conformance';

/** Which requirements a variant of a provider is checked against. */
export type Chosen = (requirement: Requirement) => boolean;

/**
 * Those of `among` that are about one of `subjects`. With `LOCKS_TEST_WHOLE` all of `among`, as in
 * the long runs. One variant of each database checks the requirements that the others leave out.
 */
function selection(among: Chosen, ...subjects: readonly Subject[]): Chosen {
  return (one) => among(one) && (process.env['LOCKS_TEST_WHOLE'] !== undefined || subjects.includes(one.about));
}

const every: Chosen = () => true;

/** The others. */
export const withoutFaults: Chosen = (one) => !needsFault(one);

/** Those that need a fault. */
export const withFaults: Chosen = needsFault;

/** Those that need other processes. */
export const acrossProcesses: Chosen = ({ needs = [] }) => needs.includes('processes');

const inOneProcess: Chosen = (one) => !acrossProcesses(one);
const quiet: Chosen = (one) => withoutFaults(one) && inOneProcess(one);

/** What a provider answers in one process, without a fault. */
export const answers: Chosen = (one) => one.level === 'provider' && quiet(one);

/** What users see of that, who wait. */
export const users: Chosen = (one) => one.level === 'locks' && quiet(one);

/** What users see is that of core, but how they are woken. With `LOCKS_TEST_WHOLE` all of it. */
export const answersAndWakes: Chosen = (one) => answers(one) || selection(quiet, 'wake')(one);

/** The requirements of providers. */
export const ofProviders: Chosen = ({ level }) => level === 'provider';

/** The requirements of users of `createLocks`. */
export const ofUsers: Chosen = ({ level }) => level === 'locks';

/** What depends on how claims are queued. */
export const ofTheQueue: Chosen = selection(withoutFaults, 'queue', 'order', 'wake', 'sharing', 'exclusion');

/** What depends on how a process hears that it is its turn. */
export const ofWakes: Chosen = selection(withoutFaults, 'wake', 'queue', 'order');

/** What depends on whose the connections are. */
export const ofConnections: Chosen = selection(every, 'close', 'exclusion', 'wake');

/** What a client library may do in its own way. */
export const ofClients: Chosen = selection(every, 'close', 'wake', 'connection');

/**
 * What a pool of the provider's own might do differently: the rest of the faults happens to the
 * server, or to time.
 */
export const ofPools: Chosen = selection(withFaults, 'connection');

/**
 * What a library of SQLite may do in its own way. Other processes would say nothing about how it is
 * opened here.
 */
export const ofSqliteLibraries: Chosen = selection(inOneProcess, 'close', 'wake', 'token', 'repeat', 'names');
