import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '@locks/command-line';
import { help, readCommandLine } from './command-line.ts';
import type { Options, SuiteName } from './command-line.ts';
import { describeEnvironment, readEnvironment } from './environment.ts';
import { formatGates } from './gates/gate.ts';
import { evaluateGates } from './gates/gates.ts';
import { chartsOf } from './plots/charts.ts';
import { drawChart } from './plots/svg.ts';
import { createRandom } from './random.ts';
import type { SuiteContext, SuiteReport } from './suites/suite.ts';

type RunSuite = (context: SuiteContext) => Promise<SuiteReport>;

/** Of the one that is wanted only. */
const suites: Readonly<Record<SuiteName, () => Promise<RunSuite>>> = {
  redis: async () => (await import('./suites/redis.ts')).runRedisSuite,
  memory: async () => (await import('./suites/memory.ts')).runMemorySuite,
  sql: async () => (await import('./suites/sql.ts')).runSqlSuite,
  zookeeper: async () => (await import('./suites/zookeeper.ts')).runZookeeperSuite,
  core: async () => (await import('./suites/core.ts')).runCoreSuite,
};

async function main(options: Options): Promise<void> {
  const { suite, seed, only, quick } = options;
  const environment = readEnvironment(seed, quick);
  print(describeEnvironment(environment));
  if (quick) print('A quick run: for finding defects, not for quoting.');
  const run = await suites[suite]();
  const wants = (scenario: string): boolean => only.length === 0 || only.includes(scenario);
  const { results, servers } = await run({ options, random: createRandom(seed), wants, print });
  const gates = evaluateGates(results);
  if (gates.length > 0) print(formatGates(gates));
  if (options.json !== undefined) {
    const where = { ...environment, ...servers };
    writeFileSync(options.json, `${JSON.stringify({ environment: where, results, gates }, undefined, 2)}\n`);
    print(`\nFigures: ${options.json}`);
  }
  if (options.plots !== undefined) {
    mkdirSync(options.plots, { recursive: true });
    const charts = chartsOf(results);
    for (const chart of charts) writeFileSync(join(options.plots, `${chart.name}.svg`), drawChart(chart));
    print(`Plots: ${charts.length} in ${options.plots}`);
  }
  if (options.gates && gates.some(({ met }) => !met)) process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await runProgram(help, readCommandLine, main);
