import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backends } from './backends/index.ts';
import { type Options, UsageError, help, readCommandLine } from './command-line.ts';
import { describeVerdict } from './report.ts';
import { type RunOptions, run } from './run.ts';
import { flawedLocks } from './self-test.ts';

/** In ms: long enough for each flaw to show. */
const selfTestLength = 6_000;

async function main({ targets, minutes, seed, workers, flows, keep }: Options): Promise<boolean> {
  let fine = true;
  for (const target of targets) {
    if (target === 'self-test') {
      fine = (await selfTest({ length: selfTestLength, seed, workers, flows })) && fine;
      continue;
    }
    const backend = backends[target];
    const passed = await inFolder(target, keep, async (folder) => {
      const verdict = await run(backend, folder, { length: minutes * 60_000, seed, workers, flows });
      print(describeVerdict(target, seed, verdict));
      return verdict.violations.length === 0;
    });
    fine = passed && fine;
  }
  return fine;
}

/** Flawed locks go through the same stress and must be found out. */
async function selfTest(options: RunOptions): Promise<boolean> {
  let fine = true;
  for (const { name, backend, mustFind } of flawedLocks) {
    const passed = await inFolder('self-test', false, async (folder) => {
      const { violations, figures } = await run(backend, folder, options);
      const missed = mustFind.filter((pattern) => !violations.some((violation) => pattern.test(violation)));
      const found = `${violations.length} violations in ${figures.grants} grants`;
      print(
        `self-test, ${name}: ${missed.length === 0 ? `found out, ${found}` : `NOT FOUND OUT, ${found}, none like`}`,
      );
      for (const pattern of missed) print(`  ${pattern}`);
      return missed.length === 0;
    });
    fine = passed && fine;
  }
  return fine;
}

/** Removes the folder unless `work` gives false, or the logs are to be kept. */
async function inFolder(name: string, keep: boolean, work: (folder: string) => Promise<boolean>): Promise<boolean> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `locks-stress-${name}-`)));
  let passed = false;
  try {
    passed = await work(folder);
  } finally {
    if (passed && !keep) rmSync(folder, { recursive: true, force: true });
    else print(`  logs        ${join(folder, 'logs')}`);
  }
  return passed;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

// Servers and workers end with this process when it ends in order.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  const options = readCommandLine(process.argv.slice(2));
  if (options === undefined) print(help);
  else if (!(await main(options))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${help}\n`);
  process.exitCode = 2;
}
