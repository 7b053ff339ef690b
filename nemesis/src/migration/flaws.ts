import type { FlawName } from '../drills-command-line.ts';
import type { Flaw } from '../flawed/spoil.ts';
import type { StoreName } from './stores.ts';

/** What a migration is without one of its rules. */
interface MigrationFlaw extends Flaw {
  /** Where the first change shows it. @default at any store */
  readonly begin?: StoreName;
}

const twoHolders = /^two holders of|^\d+ holders of the/;

/** What the composites are without a rule of a migration: changes of their built files. */
export const flaws: Readonly<Record<FlawName, MigrationFlaw>> = {
  look: {
    changes: [{ find: 'return by.length === 0 ? undefined : { by };', replace: 'return undefined;' }],
    mustFind: twoHolders,
  },
  cap: {
    changes: [
      { find: 'Math.min(until, presentUntil ?? Infinity)', replace: 'until' },
      { find: 'this.#follow(lost, scope.presence?.signal);', replace: 'this.#follow(lost);' },
    ],
    mustFind: twoHolders,
  },
  compare: {
    changes: [
      {
        find: "if (Object.values(rules.stores).some(({ traits }) => traits.fencing === 'none')) return 'passed';",
        replace: "return 'passed';",
      },
    ],
    mustFind: /^a token of .* went back|^token .* was given twice/,
    // The tokens of a ZooKeeper began at the clock, and have grown more slowly.
    begin: 'postgres',
  },
};
