import type { migrate } from '../../src/migrate/migrate.ts';
import type { Rules } from '../migrate/model/owner.ts';
import { moduleWith } from './flawed-module.ts';
import type { Flaw } from './flawed-module.ts';

const entry = new URL('migration-rules.ts', import.meta.url);

const whole = new URL('../../src/migrate/migrate.ts', import.meta.url);

/** `migrate`, with its source changed by `flaws`. */
export async function weakerMigrate(...flaws: readonly Flaw[]): Promise<typeof migrate> {
  return (await moduleWith<{ readonly migrate: typeof migrate }>(whole, 'migrate', flaws)).migrate;
}

/** The rules of a migration, with their source changed by `flaws`. */
export async function rulesWith(...flaws: readonly Flaw[]): Promise<Rules> {
  return await moduleWith<Rules>(entry, 'migrate', flaws);
}

function decisions(find: string, replace: string): Flaw {
  return { file: 'decisions.ts', find, replace };
}

const order = "['announce', 'look', 'check', 'mark', 'probe'] as const";

/** Migrations that look right, each without one rule. */
export const weaker = {
  looksFirst: [decisions(order, "['look', 'announce', 'check', 'mark', 'probe'] as const")],
  probesFirst: [decisions(order, "['announce', 'probe', 'look', 'check', 'mark'] as const")],
  doesNotCheck: [decisions(order, "['announce', 'look', 'mark', 'probe'] as const")],
  leavesNoMark: [decisions(order, "['announce', 'look', 'check', 'probe'] as const")],
  looksBeforeItReads: [decisions("['read', 'look', 'lift'] as const", "['look', 'read', 'lift'] as const")],
  doesNotLook: [
    { file: 'phase-machine.ts', find: 'if (inTheWay) this.failed(); else this.stepped();', replace: 'this.stepped();' },
  ],
  forgetsEnd: [decisions("phase === 'both' ? toldUntil : until", "phase === 'both' ? 0 : until")],
  notCapped: [decisions('Math.min(until, presentUntil)', 'until')],
  outlastsPresence: [
    decisions('Math.min(until, presentUntil)', 'until'),
    { file: 'phase-keeper.ts', find: 'this.#host.lost(reason);', replace: '' },
  ],
  withdrawsEarly: [decisions("inUse ? 'wait' : 'withdraw'", "'withdraw'")],
  noFloor: [decisions('{ phase: end, epoch, floor } : ofBoth', '{ phase: end, epoch, floor: undefined } : ofBoth')],
  holdsOldGrants: [decisions('present && end === scope.phase && epoch === scope.epoch', 'present')],
  keepsUnansweredPlaces: [decisions("now.phase === 'both' || clean", 'true')],
} as const satisfies Readonly<Record<string, readonly Flaw[]>>;

/** Of a provider: the floor of its claims also rises with the store's clock. */
export const noFloorAtAll: readonly Flaw[] = [
  ...weaker.noFloor,
  {
    file: 'floors.ts',
    find: "if (phase !== 'both') return this.#of[phase].now();",
    replace: "if (phase !== 'both') return undefined;",
  },
];
