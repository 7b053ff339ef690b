import { UsageError } from '@locks/command-line';
import { lengthOf } from '@locks/conformance/nemesis';
import { type AttackOptions, attack } from '../attack.ts';
import { type PlantedDefect, defects } from './defects.ts';

/** Plants the defect `name`, or all of them one at a time. Returns whether each was found. */
export async function plantAll(name: string, options: AttackOptions): Promise<boolean> {
  const chosen = name === 'all' ? defects : defects.filter((defect) => defect.name === name);
  if (chosen.length === 0) {
    throw new UsageError(`Option --planted must be all, or one of ${defects.map((defect) => defect.name).join(', ')}.`);
  }
  const missed: string[] = [];
  for (const defect of chosen) if (!(await plant(defect, options))) missed.push(defect.name);
  options.print(missed.length === 0 ? `${chosen.length} of ${chosen.length} found` : `NOT FOUND: ${missed.join(', ')}`);
  return missed.length === 0;
}

async function plant(
  { name, what, changes, target, client, faults, flows, ...defect }: PlantedDefect,
  options: AttackOptions,
) {
  const { print } = options;
  const lines: string[] = [];
  const { failure, rounds } = await attack(target, {
    ...options,
    client,
    faults: faults ?? options.faults,
    flows: flows ?? options.flows,
    flaw: { package: defect.package, changes },
    print: (line) => lines.push(line),
  });
  if (failure === undefined) {
    print(`${name}: NOT FOUND in ${rounds.length} rounds on ${target}: ${what}`);
    return false;
  }
  const { foundAfter, script, round } = failure;
  const seconds = (foundAfter / 1_000).toFixed(1);
  print(`${name}: found after ${seconds} s on ${target}, a script of ${lengthOf(script)} turns and faults: ${what}`);
  print(`  ${round.violations[0]?.rule}: ${round.violations[0]?.message}`);
  print(`  ${failure.folder}`);
  return true;
}
