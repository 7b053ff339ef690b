import { requirements } from '@locks/conformance';
import type { Need } from '@locks/conformance';

/** The requirements whose needs satisfy `chosen`. */
export function ids(chosen: (needs: readonly Need[]) => boolean): readonly string[] {
  return requirements.filter(({ needs = [] }) => chosen(needs)).map(({ id }) => id);
}

const faultless = new Set<Need>(['processes', 'createOther']);

/** The requirements for which no fault is needed. */
export const withoutFaults: readonly string[] = ids((needs) => needs.every((need) => faultless.has(need)));

/** The others. */
export const withFaults: readonly string[] = ids((needs) => needs.some((need) => !faultless.has(need)));

/** What happens in one process, without a fault. */
export const inOneProcess: readonly string[] = ids((needs) => needs.every((need) => need === 'createOther'));

/** The faults of single connections: the others happen to the server, or to time. */
export const ofConnections: readonly string[] = ids(
  (needs) =>
    needs.length > 0 && needs.every((need) => need === 'sever' || need === 'dropReply' || need === 'duplicate'),
);

/** Those of `chosen` that are about providers, or about users of `createLocks`, who wait. */
export function ofLevel(level: 'provider' | 'locks', chosen: readonly string[]): readonly string[] {
  return requirements.filter((one) => one.level === level && chosen.includes(one.id)).map(({ id }) => id);
}

/** Those about users of `createLocks`, who wait. */
export const locksWithoutFaults: readonly string[] = ofLevel('locks', withoutFaults);

/** Those of `among` that `chosen` describes. With `LOCKS_TEST_WHOLE` all of them. */
function part(among: readonly string[], chosen: (id: string) => boolean): readonly string[] {
  return process.env['LOCKS_TEST_WHOLE'] === undefined ? among.filter((id) => chosen(id)) : among;
}

const every: readonly string[] = requirements.map(({ id }) => id);

const ofLibrary = /^(?:exclusion-one|close-|locks-close|wake-|sever-|lost-reply|duplicate-|silence-|restart-)/;

/** What a client library may do in its own way, where it is opened in another way. */
export const ofLibraries: readonly string[] = part(every, (id) => ofLibrary.test(id));

/** Of a client with code of its own: every fault too. */
export const ofAnotherClient: readonly string[] = part(every, (id) => ofLibrary.test(id) || withFaults.includes(id));
