import type { Json, Script, WorkerScript } from '../script.ts';
import type { NemesisTarget } from '../target.ts';
import { drawFaults } from './draw-faults.ts';
import { drawTurn } from './draw-turn.ts';
import { type Random, createRandom } from './random.ts';

/** The parameters of a script, besides its seed. */
export interface DrawOptions {
  /** The duration of calls and faults, in ms. @default 20_000 */
  readonly length?: number | undefined;
  /** The number of processes. @default 4 */
  readonly workers?: number | undefined;
  /** The number of flows of each process. @default 4 */
  readonly flows?: number | undefined;
  /** The kinds of faults. @default all that the target can have */
  readonly faults?: readonly string[] | undefined;
}

/** Draws a round: the same one for the same seed, target and options. */
export function drawScript(
  seed: number,
  target: NemesisTarget,
  { length = 20_000, workers = 4, flows = 4, faults }: DrawOptions = {},
): Script {
  const random = createRandom(seed);
  const names = Object.keys(target.openings);
  const first = random.integer(0, names.length);
  return {
    seed,
    length,
    workers: Array.from({ length: workers }, (_, index) => {
      const opening = target.deploys?.[0] ?? names[(first + index) % names.length] ?? '';
      return drawWorker(random, target, opening, flows);
    }),
    faults: drawFaults(random, target, { length, workers, faults }),
  };
}

function drawWorker(random: Random, target: NemesisTarget, opening: string, flows: number): WorkerScript {
  const settings: Record<string, Json> = {};
  for (const [name, values] of Object.entries(target.openings[opening]?.settings ?? {})) {
    settings[name] = random.pick(values);
  }
  return {
    opening,
    settings,
    flows: Array.from({ length: flows }, () =>
      Array.from({ length: random.integer(3, 8) }, () => drawTurn(random, target)),
    ),
  };
}
