import { needsFault } from '@locks/conformance';
import type { Requirement, Subject } from '@locks/conformance';

/** Which requirements a variant of a provider is checked against. */
export type Chosen = (requirement: Requirement) => boolean;

/** With `LOCKS_TEST_WHOLE` variants are checked against what other files check, too. */
export const isWhole: boolean = process.env['LOCKS_TEST_WHOLE'] !== undefined;

/** Those of `among` that are about one of `subjects`. With `LOCKS_TEST_WHOLE` all of `among`. */
export function selection(among: Chosen, ...subjects: readonly Subject[]): Chosen {
  return (one) => among(one) && (isWhole || subjects.includes(one.about));
}

/** Those that need a fault. */
export const withFaults: Chosen = needsFault;

/** The others. */
export const withoutFaults: Chosen = (one) => !needsFault(one);

/** Those that need other processes. */
export const acrossProcesses: Chosen = ({ needs = [] }) => needs.includes('processes');

/** What happens in one process, without a fault. */
export const inOneProcess: Chosen = ({ needs = [] }) => needs.every((need) => need === 'createOther');

/** Those of `chosen` that are about providers, or about users of `createLocks`, who wait. */
export function ofLevel(level: Requirement['level'], chosen: Chosen): Chosen {
  return (one) => one.level === level && chosen(one);
}

/** What a provider answers in one process, without a fault. */
export const answers: Chosen = ofLevel('provider', inOneProcess);

/** What users see of that, who wait. */
export const users: Chosen = ofLevel('locks', inOneProcess);
