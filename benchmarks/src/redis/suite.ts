import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { UsageError } from '@locks/command-line';
import type { Contention, Patience } from '../crew/contention.ts';
import { runClusterSuite } from './cluster/suite.ts';
import { measureContended } from './contended.ts';
import { measureHeap } from './heap.ts';
import { push } from './push-name.ts';
import { measureRenewal } from './renewal.ts';
import { measureTotalTime } from './total-time.ts';
import { measureUncontended } from './uncontended.ts';
import { chooseSubjects } from '../subjects/subject-choice.ts';
import { subjectNames } from './subjects/index.ts';
import { openSlowNetwork } from './slow-network.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import { contendedColumns, heapColumns, renewalColumns, totalTimeColumns, uncontendedColumns } from './tables.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';

const held = 10_000;

/** Locks in a Redis started for this and stopped at the end. */
export async function runRedisSuite(context: SuiteContext): Promise<Servers> {
  const { options } = context;
  if (process.env['LOCKS_TEST_REDIS_URL'] !== undefined) {
    throw new UsageError('The benchmarks empty their server again and again: unset LOCKS_TEST_REDIS_URL.');
  }
  if (options.topology === 'cluster') return await runClusterSuite(context);
  const names = chooseSubjects(context, subjectNames());
  await using server = await startRedis();
  await using network = options.network > 0 ? await openSlowNetwork(server.url, options.network) : undefined;
  const url = network?.url ?? server.url;
  const control = new Redis(server.url);
  try {
    const redis = /redis_version:(\S+)/.exec(await control.info('server'))?.[1] ?? 'unknown';
    if (context.wants('uncontended')) await uncontended(context, url, control, names);
    if (context.wants('contended')) await contended(context, url, control, names);
    if (context.wants('total-time')) await totalTime(context, url, control, names);
    if (context.wants('renewal')) {
      await context.table(`${held} held locks, renewed every 2 s`, renewalColumns, () =>
        measureRenewal(url, control, held, options.quick ? 1 : 3),
      );
    }
    if (context.wants('heap')) {
      await context.table(`Heap of the client, ${held} held locks`, heapColumns, () => measureHeap(url, control, held));
    }
    return { redis };
  } finally {
    control.disconnect();
  }
}

async function uncontended(context: SuiteContext, url: string, control: Redis, names: string[]): Promise<void> {
  for (const concurrency of [1, 8, 64, 512]) {
    const rotation = rotationFor(context, 15, 130);
    await context.table(`Uncontended, ${concurrency} at once`, uncontendedColumns, () =>
      measureUncontended(url, control, names, concurrency, rotation, context.options),
    );
  }
}

async function contended(context: SuiteContext, url: string, control: Redis, names: string[]): Promise<void> {
  const { quick } = context.options;
  const patience: Patience = quick
    ? { least: 500, most: 4_500, acquisitions: 500 }
    : { least: 1_500, most: 6_000, acquisitions: 1_500 };
  const libraries = names.filter((name) => name !== 'raw client');
  for (const hold of [0, 2]) {
    for (const processes of [1, 4]) {
      for (const waiters of [10, 100, 1_000]) {
        const contention: Contention = { waiters, processes, hold };
        // In a quick run the peers are measured where it matters most.
        const all = !quick || (waiters === 100 && hold === 2);
        const cell = { scenario: 'redis/contended', ...contention };
        const title = `Contended, ${waiters} on one key in ${processes} process(es), held ${hold} ms`;
        await context.table(title, contendedColumns, () =>
          oneByOne([push, ...(all ? libraries : ['@locks'])], cell, context, (name) =>
            measureContended(url, [control], name, contention, patience, context.options),
          ),
        );
      }
    }
  }
}

async function totalTime(context: SuiteContext, url: string, control: Redis, names: string[]): Promise<void> {
  const { quick } = context.options;
  const libraries = names.filter((name) => name !== 'raw client');
  for (const processes of quick ? [4] : [1, 4]) {
    const contention: Contention = { waiters: 100, processes, hold: 2 };
    const cell = { scenario: 'redis/total-time', ...contention };
    const title = `Until 100 workers in ${processes} process(es) had it 10 times each, held 2 ms`;
    await context.table(title, totalTimeColumns, () =>
      oneByOne(libraries, cell, context, (name) =>
        measureTotalTime(url, control, name, contention, 10, quick ? 6_000 : 15_000, context.options),
      ),
    );
  }
}
