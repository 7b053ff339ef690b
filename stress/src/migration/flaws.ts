import type { FlawName } from '../command-line.ts';
import type { Flaw } from '../flawed/spoil.ts';

const twoHolders = /^two holders of|^\d+ holders of the/;

/** What core is without a rule of a migration: changes of its built files. */
export const flaws: Readonly<Record<FlawName, Flaw>> = {
  look: {
    changes: [{ find: 'if (others) this.failed(); else this.#done();', replace: 'this.#done();' }],
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
        find: 'acting && present && end !== void 0 ? { phase: end, epoch, floor }',
        replace: 'acting && present && end !== void 0 ? { phase: end, epoch, floor: void 0 }',
      },
    ],
    mustFind: /^a token of .* went back/,
  },
};
