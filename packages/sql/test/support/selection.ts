import {
  acrossProcesses,
  answers,
  inOneProcess,
  selection,
  withFaults,
  withoutFaults,
} from '../../../conformance/test/support/selection.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/** What users see is that of core, but how they are woken. With `LOCKS_TEST_WHOLE` all of it. */
export const answersAndWakes: Chosen = (one) => answers(one) || selection(inOneProcess, 'wake')(one);

/** The requirements of providers. */
export const ofProviders: Chosen = ({ level }) => level === 'provider';

/** What depends on how claims are queued. */
export const ofTheQueue: Chosen = selection(withoutFaults, 'queue', 'order', 'wake', 'sharing', 'exclusion');

/** What depends on how a process hears that it is its turn. */
export const ofWakes: Chosen = selection(withoutFaults, 'wake', 'queue', 'order');

/** What depends on whose the connections are. */
export const ofConnections: Chosen = selection(() => true, 'close', 'exclusion', 'wake');

/** What a client library may do in its own way. */
export const ofClients: Chosen = selection(() => true, 'close', 'wake', 'connection');

/**
 * What a pool of the provider's own might do differently: the rest of the faults happens to the
 * server, or to time.
 */
export const ofPools: Chosen = selection(withFaults, 'connection');

/**
 * What a library of SQLite may do in its own way. Other processes would say nothing about how it is
 * opened here.
 */
export const ofSqliteLibraries: Chosen = selection(
  (one) => !acrossProcesses(one),
  'close',
  'wake',
  'token',
  'repeat',
  'names',
);
