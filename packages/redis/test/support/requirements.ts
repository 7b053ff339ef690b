import { needsFault } from '@locks/conformance';
import type { Need, Requirement, Subject } from '@locks/conformance';

/** Which requirements a variant of the provider is checked against. */
export type Chosen = (requirement: Requirement) => boolean;

/** For which a fault is needed. */
export const withFaults: Chosen = needsFault;

/** The others. */
export const withoutFaults: Chosen = (one) => !needsFault(one);

/** What happens in one process, without a fault. */
const inOneProcess: Chosen = ({ needs = [] }) => needs.every((need) => need === 'createOther');

/** What a provider answers in one process. */
export const quick: Chosen = (one) => one.level === 'provider' && inOneProcess(one);

/** The rest of those without faults. */
export const withoutFaultsBeyondQuick: Chosen = (one) => withoutFaults(one) && !quick(one);

const ofOneConnection = new Set<Need>(['sever', 'dropReply', 'duplicate']);

/** The faults of single connections: the others happen to the server, or to time. */
export const ofConnections: Chosen = ({ needs = [] }) =>
  needs.length > 0 && needs.every((need) => ofOneConnection.has(need));

const subjects = new Set<Subject>(['exclusion', 'wake', 'close', 'connection', 'outage', 'restart']);

/** Whether a library reads numbers that no double has. */
const exactNumbers = new Set(['token-exact', 'token-end']);

/**
 * What a client library may do in its own way, where it is opened in another way. With
 * `LOCKS_TEST_WHOLE` everything.
 */
export const ofLibraries: Chosen = ({ id, about, level }) =>
  process.env['LOCKS_TEST_WHOLE'] !== undefined ||
  about === 'close' ||
  exactNumbers.has(id) ||
  (level === 'provider' && subjects.has(about));

/** Of a client with code of its own: every fault too. */
export const ofAnotherClient: Chosen = (one) => ofLibraries(one) || withFaults(one);

/** Those of `chosen` that are about providers, or about users of `createLocks`, who wait. */
export function ofLevel(level: Requirement['level'], chosen: Chosen): Chosen {
  return (one) => one.level === level && chosen(one);
}
