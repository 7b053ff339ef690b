import { UsageError } from '@locks/command-line';
import type { Contention, Patience } from '../crew/contention.ts';
import type { Result } from '../results.ts';
import { formatTable } from '../tables/table.ts';
import { handOver, measureContended, measureTotalTime } from './contended.ts';
import { measureOperations } from './operations.ts';
import { peerNames, preparePeers } from './peer-programs.ts';
import type { PeerPrograms } from './peer-programs.ts';
import { openServer } from './server.ts';
import type { Server } from './server.ts';
import { nodeSubjects } from './subjects/index.ts';
import { measureUncontended } from './uncontended.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';
import { acquireColumns, contendedColumns, operationsColumns, totalTimeColumns, uncontendedColumns } from './tables.ts';

/** What all parts of the suite work with. */
interface Bench {
  readonly context: SuiteContext;
  readonly server: Server;
  readonly names: readonly string[];
  readonly programs: PeerPrograms;
}

/** Locks in a ZooKeeper started for this and stopped at the end. */
export async function runZookeeperSuite(context: SuiteContext): Promise<Servers> {
  if (process.env['LOCKS_TEST_ZOOKEEPER_URL'] !== undefined) {
    throw new UsageError(
      'The benchmarks need a server of their own, which no other client uses: unset LOCKS_TEST_ZOOKEEPER_URL.',
    );
  }
  const names = chooseSubjects(context);
  await using programs = await preparePeers(names);
  await using server = await openServer();
  const versions = { zookeeper: server.version, ...programs.versions };
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  context.print(listed.join(', '));
  const bench: Bench = { context, server, names, programs };
  if (context.wants('uncontended')) await uncontended(bench);
  if (context.wants('operations')) await operations(bench);
  if (context.wants('contended')) await contended(bench);
  if (context.wants('total-time')) await totalTime(bench);
  return versions;
}

async function uncontended({ context, server, names, programs }: Bench): Promise<void> {
  const measure = (on: Server, concurrency: number, title: string, scenario?: string): Promise<readonly Result[]> =>
    context.table(`ZooKeeper: ${title}`, uncontendedColumns, () =>
      measureUncontended(on, names, programs, concurrency, rotationFor(context, 15, 500), scenario),
    );
  for (const concurrency of [1, 50]) {
    const title = `uncontended, ${concurrency} at once`;
    const results = await measure(server, concurrency, title);
    context.print(formatTable(`ZooKeeper: ${title}: the acquire alone`, acquireColumns, results));
  }
  // Two disk writes are most of a pair, with any client. This shows what remains.
  await using unsynced = await openServer(false);
  const title = 'uncontended, 1 at once, on a server that does not wait for its disk';
  await measure(unsynced, 1, title, 'zookeeper/unsynced');
}

async function operations({ context, server, names }: Bench): Promise<void> {
  const title = 'ZooKeeper: operations of an uncontended acquire and release, counted on the way';
  const subjects = names.filter((name) => nodeSubjects.includes(name));
  await context.table(title, operationsColumns, () => measureOperations(server.url, subjects));
}

const contentions: readonly Contention[] = [0, 2].flatMap((hold) =>
  [1, 4].flatMap((processes) => [10, 100, 1_000].map((waiters) => ({ waiters, processes, hold }))),
);

async function contended({ context, server, names, programs }: Bench): Promise<void> {
  const { quick } = context.options;
  const patience: Patience = quick
    ? { least: 500, most: 4_500, acquisitions: 300 }
    : { least: 1_500, most: 8_000, acquisitions: 1_500 };
  for (const contention of contentions) {
    const { waiters, processes, hold } = contention;
    // In a quick run the peers are measured where it matters most.
    const all = !quick || (waiters === 100 && processes === 4 && hold === 2);
    const cell = { scenario: 'zookeeper/contended', ...contention };
    const subjects = names.filter((name) => all || name === '@locks' || name === 'raw client');
    const title = `ZooKeeper: contended, ${waiters} on one key in ${processes} process(es), held ${hold} ms`;
    await context.table(title, contendedColumns, () =>
      oneByOne([handOver, ...subjects], cell, context, (name) =>
        measureContended(server, name, programs, contention, patience),
      ),
    );
  }
}

async function totalTime({ context, server, names, programs }: Bench): Promise<void> {
  const { quick } = context.options;
  for (const processes of quick ? [1] : [1, 4]) {
    const contention: Contention = { waiters: 20, processes, hold: 2 };
    const title = `ZooKeeper: until 20 workers in ${processes} process(es) had it 10 times each, held 2 ms`;
    const limits = { turns: 10, rounds: quick ? 2 : 7, patience: 30_000 };
    await context.table(title, totalTimeColumns, () => measureTotalTime(server, names, programs, contention, limits));
  }
}

/** All, or ours, the raw client, and the selected peers. */
function chooseSubjects({ options: { subjects } }: SuiteContext): string[] {
  const known = [...nodeSubjects, ...peerNames];
  const unknown = subjects.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`--subjects: no ${unknown.join(', ')}, only ${known.join(', ')}.`);
  const always = new Set(['raw client', '@locks']);
  return known.filter((name) => subjects.length === 0 || always.has(name) || subjects.includes(name));
}
