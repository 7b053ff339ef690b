import type { Options } from '../drills-command-line.ts';
import { inFolder } from '../in-folder.ts';
import { describeVerdict, isFine } from '../report.ts';
import { type Way, deployAlong, thereAndBack } from './deploys.ts';

/** Nothing is doubled on these ways. A run of a minute and more goes through three stores. */
const safeWays = (minutes: number): readonly Way[] => [
  minutes < 1 ? thereAndBack('redis', 'postgres') : thereAndBack('redis', 'postgres', 'zookeeper'),
  { ...thereAndBack('redis', 'redis'), emptied: true },
];

/** The deploy that has both stores is left out: the checker must find two holders. */
const skipped: Way = { stores: ['redis', 'postgres'], deploys: [[0], [1]] };

/** Moves locks by deploys; gives whether nothing was doubled. */
export async function drillDeploys(options: Options, print: (text: string) => void): Promise<boolean> {
  const { minutes, seed, workers, flows, keep } = options;
  const shape = { length: minutes * 60_000, seed, workers, flows };
  let fine = true;
  for (const way of safeWays(minutes)) {
    const passed = await inFolder('deploys', { keep, print }, async (folder) => {
      const verdict = await deployAlong(folder, way, shape);
      const name = `deploys, ${way.stores.join(' to ')}${way.emptied ? ', which come back empty' : ''}`;
      print(describeVerdict(name, seed, verdict));
      return isFine(folder, verdict);
    });
    fine = passed && fine;
  }
  return await inFolder('deploys', { keep, print }, async (folder) => {
    const { violations } = await deployAlong(folder, skipped, { ...shape, length: 0 });
    const found = violations.some((violation) => violation.startsWith('two holders of'));
    print(`deploys, without both, seed ${seed}: ${found ? '' : 'NOT FOUND OUT, '}${violations.length} violations`);
    return found && fine;
  });
}
