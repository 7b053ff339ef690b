import { requirements } from '@locks/conformance';

/**
 * The requirements, of those in `among`, that a variant of a provider is checked against: those
 * whose ids begin like one of `subjects`. With `LOCKS_TEST_WHOLE` all of `among`, as in the long
 * runs. One variant of each database checks the requirements that the others leave out.
 */
export function selection(among: readonly string[], ...subjects: readonly string[]): readonly string[] {
  if (process.env['LOCKS_TEST_WHOLE']) return among;
  const chosen = among.filter((id) => subjects.some((subject) => id.startsWith(subject)));
  // A requirement that is renamed must not go unnoticed.
  for (const subject of subjects) {
    if (!chosen.some((id) => id.startsWith(subject))) throw new Error(`No requirement begins with "${subject}".`);
  }
  return chosen;
}

/** What depends on how claims stand in line. */
export const ofTheLine: readonly string[] = [
  'waiting',
  'wake-',
  'fair-',
  'abandon',
  'permits-in',
  'exclusion-100',
  'shared-excl',
];

/** What depends on how a process hears that it is its turn. */
export const ofWakes: readonly string[] = [
  'wake-',
  'waiting',
  'fair-order',
  'processes-wake',
  'processes-lost',
  'locks-wake',
];

/** What depends on whose the connections are. */
export const ofConnections: readonly string[] = [
  'close-',
  'processes-excl',
  'exclusion-100',
  'wake-chain',
  'locks-close',
];

/** What a client library may do in its own way. */
export const ofClients: readonly string[] = [
  'close-',
  'locks-close',
  'wake-chain',
  'sever-',
  'lost-reply',
  'duplicate-',
  'locks-sever',
  'locks-dropped',
];

/** What a library of SQLite may do in its own way. */
export const ofSqliteLibraries: readonly string[] = [
  'close-',
  'locks-close',
  'wake-chain',
  'token-',
  'repeat-',
  'names-',
];

/** What a provider needs that has holds, and nothing else. */
export const ofHolds: readonly string[] = [
  'exclusion-one',
  'repeat-',
  'release-',
  'renew-',
  'token-increases',
  'names-',
];

/** Every requirement's id. */
export const every: readonly string[] = requirements.map(({ id }) => id);

/** The requirements of providers, or those of users of `createLocks`, who wait. */
export function ofLevel(level: 'provider' | 'locks'): readonly string[] {
  return requirements.filter((one) => one.level === level).map(({ id }) => id);
}

/** Those that need no other process: how a client is opened there would say nothing about it. */
export const inOneProcess: readonly string[] = every.filter((id) => !id.startsWith('processes-'));
