import { UsageError } from '@locks/command-line';
import type { Contention } from '../crew/contention.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Result } from '../results.ts';
import { chooseSubjects, isPeer } from '../subjects/subject-choice.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';
import { measureContended } from './contended.ts';
import { measureFrozen } from './frozen.ts';
import { rawName } from './names.ts';
import { linkDelay, startNodes } from './nodes.ts';
import type { Nodes } from './nodes.ts';
import { measureRoundTrip } from './round-trip.ts';
import { subjectNames } from './subjects/index.ts';
import { measureUncontended } from './uncontended.ts';
import { contendedColumns, frozenColumns, uncontendedColumns } from './tables.ts';

/** How often each contender takes the lock. */
const turns = 20;
/**
 * How long peers may take for all turns, in ms: those that wait a random time would need minutes.
 * Ours must succeed.
 */
const peerPatience = 5_000;
const ownPatience = 60_000;

/** Locks on a majority of three Redis nodes, started for this and stopped at the end. */
export async function runRedlockSuite(context: SuiteContext): Promise<Servers> {
  if (process.env['LOCKS_TEST_REDIS_URL'] !== undefined) {
    throw new UsageError('This needs three Redis servers, which it starts and freezes: unset LOCKS_TEST_REDIS_URL.');
  }
  const names = chooseSubjects(context, subjectNames());
  await using nodes = await startNodes();
  if (context.wants('uncontended')) await uncontended(context, nodes, names);
  if (context.wants('contended')) await contended(context, nodes, names);
  if (context.wants('frozen')) {
    await context.table('A frozen node, 8 workers with a key each', frozenColumns, () => frozen(context, nodes, names));
  }
  return { redis: nodes.version };
}

async function uncontended(context: SuiteContext, nodes: Nodes, names: readonly string[]): Promise<void> {
  for (const concurrency of [1, 64]) {
    const rotation = rotationFor(context, 12, 200);
    const title = ([first]: readonly Result[]): string =>
      `Uncontended, ${concurrency} at once; the fastest peer: ${first?.fastestPeer ?? 'none'}`;
    await context.table(title, uncontendedColumns, () =>
      measureUncontended(nodes, names, concurrency, rotation, context.options),
    );
  }
}

async function contended(context: SuiteContext, nodes: Nodes, names: readonly string[]): Promise<void> {
  for (const delay of [0, linkDelay]) {
    const urls = delay === 0 ? nodes.urls : nodes.farUrls;
    const roundTrip = await measureRoundTrip(urls);
    // Over links waiting for the peers takes too long.
    const libraries = names.filter((name) => name !== rawName && (delay === 0 || !isPeer(name)));
    for (const waiters of [16, 64]) {
      const contention: Contention = { waiters, processes: 4, hold: 1 };
      const cell = { scenario: 'redlock/contended', ...contention, linkDelay: delay, roundTrip };
      const where = `${delay === 0 ? 'loopback' : `links of ${delay} ms`}, a round trip ${roundTrip.toFixed(2)} ms`;
      const title = `${waiters} contenders × ${turns} in 4 processes, held 1 ms; ${where}`;
      await context.table(title, contendedColumns, () =>
        oneByOne(libraries, cell, context, async (name) => {
          const patience = isPeer(name) ? peerPatience : ownPatience;
          await nodes.flush();
          const figures = await measureContended(urls, name, contention, turns, patience, context.options);
          return { ...cell, ...figures };
        }),
      );
    }
  }
}

async function frozen(context: SuiteContext, nodes: Nodes, names: readonly string[]): Promise<Result[]> {
  const time = context.options.quick ? 1_500 : 2_500;
  const results: Result[] = [];
  for (const node of nodes.servers.keys()) {
    for (const name of names) {
      // Peers are measured on the first node only: they have no order of nodes.
      if (node > 0 && (isPeer(name) || name === rawName)) continue;
      results.push(await measureFrozen(nodes, name, node, time, context.options));
    }
  }
  return results;
}
