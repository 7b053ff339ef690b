import { writeFileSync } from 'node:fs';
import { check } from '../check/check.ts';
import type { FlawName, Options } from '../drills-command-line.ts';
import { inFolder } from '../in-folder.ts';
import { describeVerdict, isFine } from '../report.ts';
import { checkKept } from './check-kept.ts';
import { checkStatus } from './check-status.ts';
import { drill } from './drill.ts';
import { describeFigures, readPhaseFigures } from './figures.ts';
import { flaws } from './flaws.ts';

/** So many runs at most: a flaw shows when a fault meets the moment. Each has one change. */
const flawedRuns = 6;

type Print = (text: string) => void;

/** Runs the drill; gives whether the migration kept its promises. */
export async function drillMigration(options: Options, print: Print): Promise<boolean> {
  const { without, keep, seed, figures: file } = options;
  if (without !== undefined) return await findFlaw(without, options, print);
  return await inFolder('migration', { keep, print }, async (folder) => {
    const log = await drill(folder, shapeOf(options));
    // In both stores each token is the higher one of two: that of two sharers may be the same.
    const checked = check(log, true);
    const verdict = { ...checked, violations: [...checked.violations, ...checkKept(log), ...checkStatus(log)] };
    const phases = readPhaseFigures(log);
    print([describeVerdict('migration', seed, verdict), ...describeFigures(log, phases)].join('\n'));
    if (file !== undefined) writeFileSync(file, `${JSON.stringify({ results: phases }, undefined, 2)}\n`);
    return isFine(folder, verdict);
  });
}

/** The same with a rule taken out: the checker must find it. */
async function findFlaw(name: FlawName, options: Options, print: Print): Promise<boolean> {
  const { keep, seed } = options;
  const flaw = flaws[name];
  for (let round = 0; round < flawedRuns; round += 1) {
    let found: readonly string[] = [];
    await inFolder('migration', { keep, print }, async (folder) => {
      const shape = { ...shapeOf(options), length: 0, seed: seed + round };
      const log = await drill(folder, { ...shape, flaw, begin: flaw.begin });
      found = check(log, true).violations.filter((violation) => flaw.mustFind.test(violation));
      return true;
    });
    const [first = 'none like'] = found;
    print(`migration without its ${name}, seed ${seed + round}: ${found.length} violations, ${first}`);
    if (found.length > 0) return true;
  }
  print(`migration without its ${name}: NOT FOUND OUT, none like ${flaw.mustFind}`);
  return false;
}

function shapeOf({ minutes, seed, workers, flows }: Options) {
  return { length: minutes * 60_000, seed, workers, flows };
}
