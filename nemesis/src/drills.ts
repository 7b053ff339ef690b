import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@locks/command-line';
import { backends } from './backends/index.ts';
import { type BackendName, type Options, type TargetName, help, readCommandLine } from './drills-command-line.ts';
import { drillDeploys } from './deploys/main.ts';
import { inFolder } from './in-folder.ts';
import { drillMigration } from './migration/main.ts';
import { describeVerdict, isFine } from './report.ts';
import { run } from './run.ts';
import { flawedLocks } from './self-test.ts';
import type { FlawedLock } from './self-test.ts';

/** In ms: long enough for each flaw to show. */
const selfTestLength = 6_000;
/** So many runs at most. */
const selfTestRounds = 6;

async function main(options: Options): Promise<boolean> {
  const [target, ...others] = options.targets;
  if (target !== undefined && others.length === 0) return await runTarget(target, options);
  const rest = [...options.targets];
  let fine = true;
  const takeNext = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift())
      fine = (await delegate(next, options)) && fine;
  };
  // Most of a run is waiting.
  await Promise.all([takeNext(), takeNext()]);
  return fine;
}

async function runTarget(target: TargetName, options: Options): Promise<boolean> {
  if (target === 'self-test') return await selfTest(options);
  if (target === 'migration') return await drillMigration(options, print);
  if (target === 'deploys') return await drillDeploys(options, print);
  return await stress(target, options);
}

/**
 * A migration has several changes, each with faults of its own. The 0.15 minutes of CI are nearly
 * two minutes of it: time for each of the three migrations.
 */
const migrationFactor = 12;

/**
 * Runs one target in a process of its own, for its proxies must not wait for what another run
 * computes.
 */
async function delegate(target: string, { minutes, seed, workers, flows, keep }: Options): Promise<boolean> {
  const length = target === 'migration' ? minutes * migrationFactor : minutes;
  const numbers = Object.entries({ minutes: length, seed, workers, flows }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const args = [target, ...numbers, ...(keep ? ['--keep'] : [])];
  const child = fork(fileURLToPath(import.meta.url), args);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

async function stress(name: BackendName, { minutes, seed, workers, flows, keep }: Options): Promise<boolean> {
  return await inFolder(name, { keep, print }, async (folder) => {
    const verdict = await run(backends[name], folder, { length: minutes * 60_000, seed, workers, flows });
    print(describeVerdict(name, seed, verdict));
    return isFine(folder, verdict);
  });
}

/** Flawed locks go through the same stress and must be found out. */
async function selfTest(options: Options): Promise<boolean> {
  let fine = true;
  for (const flawed of flawedLocks) fine = (await findOut(flawed, options)) && fine;
  return fine;
}

/** Runs until all is found: a holder must be inside at the moment at which its lock is lost. */
async function findOut({ name, backend, mustFind }: FlawedLock, { seed, workers, flows }: Options): Promise<boolean> {
  let missed = mustFind;
  for (let round = 0; round < selfTestRounds && missed.length > 0; round += 1) {
    await inFolder('self-test', { keep: false, print }, async (folder) => {
      const options = { length: selfTestLength, seed: seed + round, workers, flows };
      const { violations, figures } = await run(backend, folder, options);
      missed = missed.filter((pattern) => !violations.some((violation) => pattern.test(violation)));
      const found = `${violations.length} violations in ${figures.grants} grants`;
      print(
        `self-test, ${name}: ${missed.length === 0 ? `found out, ${found}` : `NOT FOUND OUT, ${found}, none like`}`,
      );
      for (const pattern of missed) print(`  ${pattern}`);
      return true;
    });
  }
  return missed.length === 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

// Servers and workers end with this process when it ends in order, and so do the runs of `all`.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await runProgram(help, readCommandLine, async (options) => {
  if (!(await main(options))) process.exitCode = 1;
});
