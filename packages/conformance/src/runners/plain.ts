import { reportOf, startConformance } from '../harness.ts';
import type { ConformanceOptions } from '../options.ts';
import { formatEnd, formatHead, formatResult } from '../report.ts';
import type { ConformanceReport } from '../report.ts';

/**
 * Checks every requirement, one by one, and prints the table line by line. For any runner, or none.
 * Resolves to the report; rejects as `runConformance` does. If one has failed, the exit code of the
 * process becomes 1.
 *
 * @param print Called with each line without its end. @default console.log
 */
export async function printConformance(
  options: ConformanceOptions,
  print: (line: string) => void = console.log,
): Promise<ConformanceReport> {
  const run = startConformance(options);
  const total = String(run.requirements.length);
  print(formatHead({ name: options.name, traits: await run.traits() }));
  let done = 0;
  const report = await reportOf(run, options.name, (result) => {
    done += 1;
    print(`${String(done).padStart(total.length)}/${total} ${formatResult(result)}`);
  });
  print(formatEnd(report));
  if (report.verdict === 'failed') process.exitCode = 1;
  return report;
}
