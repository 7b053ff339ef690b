import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backends } from './backends/index.ts';
import { type BackendName, type Options, UsageError, help, readCommandLine } from './command-line.ts';
import { describeVerdict } from './report.ts';
import { run } from './run.ts';
import { flawedLocks } from './self-test.ts';

/** In ms: long enough for each flaw to show. */
const selfTestLength = 6_000;

async function main(options: Options): Promise<boolean> {
  const rest = [...options.targets];
  let fine = true;
  const takeNext = async (): Promise<void> => {
    for (let target = rest.shift(); target !== undefined; target = rest.shift()) {
      const passed = target === 'self-test' ? await selfTest(options) : await stress(target, options);
      fine = passed && fine;
    }
  };
  // Most of a run is waiting.
  await Promise.all([takeNext(), takeNext()]);
  return fine;
}

async function stress(name: BackendName, { minutes, seed, workers, flows, keep }: Options): Promise<boolean> {
  return await inFolder(name, keep, async (folder) => {
    const verdict = await run(backends[name], folder, { length: minutes * 60_000, seed, workers, flows });
    print(describeVerdict(name, seed, verdict));
    return verdict.violations.length === 0;
  });
}

/** Flawed locks go through the same stress and must be found out. */
async function selfTest({ seed, workers, flows }: Options): Promise<boolean> {
  const options = { length: selfTestLength, seed, workers, flows };
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
