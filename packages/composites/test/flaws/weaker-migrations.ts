import type { migrate } from '../../src/migrate/migrate.ts';
import type * as Decisions from '../../src/migrate/decisions.ts';
import { flawIn, moduleWith } from './flawed-module.ts';
import type { Flaw } from './flawed-module.ts';

const decisionsModule = new URL('../../src/migrate/decisions.ts', import.meta.url);

const whole = new URL('../../src/migrate/migrate.ts', import.meta.url);

/** What the model check takes of `decisions.ts`. */
export type Rules = Pick<typeof Decisions, 'advance' | 'begin' | 'heldUntil' | 'lost' | 'nextStep'>;

/** `migrate`, with its source changed by `flaws`. */
export async function weakerMigrate(...flaws: readonly Flaw[]): Promise<typeof migrate> {
  return (await moduleWith<{ readonly migrate: typeof migrate }>(whole, 'migrate', flaws)).migrate;
}

/** The decisions of a migration, with their source changed by `flaws`. */
export async function rulesWith(...flaws: readonly Flaw[]): Promise<Rules> {
  return await moduleWith<Rules>(decisionsModule, 'migrate', flaws);
}

const decisions = flawIn('decisions.ts');

const order = "['announce', 'look', 'settle', 'look again', 'compare'] as const";

/** Migrations that look right, each without one rule. */
export const weaker = {
  looksFirst: [decisions(order, "['look', 'look again', 'announce', 'settle', 'compare'] as const")],
  looksOnce: [decisions(order, "['announce', 'look', 'compare'] as const")],
  comparesFirst: [decisions(order, "['announce', 'compare', 'look', 'settle', 'look again'] as const")],
  withdrawsEarly: [decisions("inUse ? 'wait' : 'withdraw'", "'withdraw'")],
  notCapped: [decisions('Math.min(until, presentUntil ?? Infinity)', 'until')],
} as const satisfies Readonly<Record<string, readonly Flaw[]>>;

const entry = flawIn('entry.ts');

/** Of the whole `migrate`. */
export const flawed = {
  doesNotCompare: [entry('if (wait === 0 || parts.forced) return', 'return')],
  seesNoLocks: [entry('if (lone === undefined) return', 'return')],
  keyByName: [
    {
      file: 'signs.ts',
      find: 'this.#put(end, presenceKey);',
      replace: 'this.#put(end, `${presenceKey}/${this.#rules.name}/${end}`);',
    },
    {
      file: 'signs.ts',
      find: '.inspect(presenceKey);',
      replace: '.inspect(`${presenceKey}/${this.#rules.name}/${end}`);',
    },
  ],
  outlastsPresence: [
    ...weaker.notCapped,
    {
      file: 'migrating-claim.ts',
      find: 'this.#follow(lost, scope.presence?.signal);',
      replace: 'this.#follow(lost);',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Flaw[]>>;
