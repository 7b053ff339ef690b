import type { FlawName } from '../command-line.ts';
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
    changes: [{ find: 'if (inTheWay) this.failed(); else this.stepped();', replace: 'this.stepped();' }],
    mustFind: twoHolders,
  },
  cap: {
    changes: [
      { find: 'Math.min(until, presentUntil)', replace: 'until' },
      { find: 'this.#host.lost(reason);', replace: '' },
    ],
    mustFind: twoHolders,
  },
  floor: {
    changes: [
      {
        find: 'acting && present && end !== undefined ? { phase: end, epoch, floor }',
        replace: 'acting && present && end !== undefined ? { phase: end, epoch, floor: undefined }',
      },
      // It also rises with the store's clock.
      {
        find: "if (phase !== 'both') return this.#of[phase].now();",
        replace: "if (phase !== 'both') return undefined;",
      },
    ],
    mustFind: /^a token of .* went back|^token .* was given twice/,
    // A probe raises all tokens of a ZooKeeper: there it does not show.
    begin: 'redis',
  },
};
