import { readFileSync, writeFileSync } from 'node:fs';
import { runProgram } from '@locks/command-line';
import { help, readCommandLine } from './cli/command-line.ts';
import type { Options, SuiteName } from './cli/command-line.ts';
import { describeEnvironment, readEnvironment } from './cli/environment.ts';
import type { Environment } from './cli/environment.ts';
import { formatGates } from './gates/gate.ts';
import { evaluateGates } from './gates/gates.ts';
import { calibrate, calibrateCalm } from './measure/calibration.ts';
import { createRandom } from '@locks/core/testing';
import type { Result } from './results.ts';
import type { Servers, SuiteContext } from './suite.ts';
import { Report } from './tables/report.ts';
import type { MeasuredTable } from './tables/report.ts';

type RunSuite = (context: SuiteContext) => Promise<Servers>;

/** Loads only the wanted one. */
const suites: Readonly<Record<SuiteName, () => Promise<RunSuite>>> = {
  redis: async () => (await import('./redis/suite.ts')).runRedisSuite,
  redlock: async () => (await import('./redlock/suite.ts')).runRedlockSuite,
  memory: async () => (await import('./memory/suite.ts')).runMemorySuite,
  sql: async () => (await import('./sql/suite.ts')).runSqlSuite,
  zookeeper: async () => (await import('./zookeeper/suite.ts')).runZookeeperSuite,
  core: async () => (await import('./core/suite.ts')).runCoreSuite,
  clients: async () => (await import('./clients/suite.ts')).runClientsSuite,
};

async function main(options: Options): Promise<void> {
  const { from, json } = options;
  const { environment, tables, results } = from === undefined ? await measure(options) : readFigures(from);
  const gates = evaluateGates(results);
  if (gates.length > 0) print(formatGates(gates));
  if (json !== undefined) {
    writeFileSync(json, `${JSON.stringify({ environment, tables, results, gates }, undefined, 2)}\n`);
    print(`\nFigures: ${json}`);
  }
  if (options.gates && gates.some(({ met }) => !met)) process.exitCode = 1;
}

/** The output of `--json`, besides the gates. */
interface Figures {
  readonly environment: Environment;
  readonly tables: readonly MeasuredTable[];
  readonly results: readonly Result[];
}

async function measure(options: Options): Promise<Figures> {
  const { suite, seed, only, quick } = options;
  const environment = readEnvironment(seed, quick);
  print(describeEnvironment(environment));
  if (quick) print('A quick run: for finding defects, not for quoting.');
  const run = await suites[suite]();
  const wants = (scenario: string): boolean => only.length === 0 || only.includes(scenario);
  const report = new Report(() => (options.calm ? calibrateCalm() : calibrate()), print);
  const table: SuiteContext['table'] = (...rest) => report.table(...rest);
  const servers = await run({ options, random: createRandom(seed), wants, print, table });
  return { environment: { ...environment, ...servers }, tables: report.tables, results: report.results };
}

function readFigures(file: string): Figures {
  return JSON.parse(readFileSync(file, 'utf8')) as Figures;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await runProgram(help, readCommandLine, main);
