import type { Need, Subject } from '@locks/conformance';
import { answers, isWhole, withFaults, withoutFaults } from '../../../conformance/test/support/selection.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/** The rest of those without faults. */
export const withoutFaultsBeyondAnswers: Chosen = (one) => withoutFaults(one) && !answers(one);

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
  isWhole || about === 'close' || exactNumbers.has(id) || (level === 'provider' && subjects.has(about));

/** Of a client with code of its own: every fault too. */
export const ofAnotherClient: Chosen = (one) => ofLibraries(one) || withFaults(one);
