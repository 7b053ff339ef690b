import { requirements } from '@locks/conformance';

/**
 * The requirements, of those in `among`, that a variant of a provider is checked against: those
 * whose ids begin like one of `subjects`. With `LOCKS_TEST_WHOLE` all of `among`, as the long runs
 * do; what a variant does not touch is checked elsewhere in any case.
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

const ofProviders = new Set(requirements.filter(({ level }) => level === 'provider').map(({ id }) => id));

/**
 * Those of `among` that say what a provider answers. The others are about core above it. Core hears
 * the same answers, with the same traits, whatever the recipe: `alone` and `ensemble` check all of
 * them, and so do variants with `LOCKS_TEST_WHOLE`.
 */
export function ofTheProvider(among: readonly string[]): readonly string[] {
  return process.env['LOCKS_TEST_WHOLE'] ? among : among.filter((id) => ofProviders.has(id));
}

/** What depends on the layout of nodes. */
export const ofTheLayout: readonly string[] = [
  'exclusion',
  'release',
  'repeat',
  'stale',
  'renew',
  'shared',
  'permits',
  'downgrade',
  'upgrade',
  'waiting',
  'abandon',
  'wake-',
  'fair-',
  'token-',
  'inspect',
  'list',
  'lost-reply',
  'duplicate',
  'sever-',
];

/** What depends on the rights of users, and on how the provider was made. */
export const ofAccess: readonly string[] = ['exclusion-while', 'close-', 'release-', 'inspect-', 'list', 'locks-close'];

/** Every requirement's id. */
export const every: readonly string[] = requirements.map(({ id }) => id);
