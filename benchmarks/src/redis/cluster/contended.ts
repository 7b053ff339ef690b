import type { Contention, Patience } from '../../crew/contention.ts';
import { oneByOne } from '../../measure/one-by-one.ts';
import { median, ratioFigures } from '../../measure/statistics.ts';
import type { Result } from '../../results.ts';
import type { SuiteContext } from '../../suite.ts';
import { measureContended } from '../contended.ts';
import type { Deployments } from './servers.ts';

/**
 * Many workers on one key, on one server and on a Cluster in random order, `rounds` times. Each
 * round has another key, and so another master and other listening nodes.
 */
export async function measureClusterGaps(
  { server, cluster }: Deployments,
  contention: Contention,
  patience: Patience,
  rounds: number,
  context: SuiteContext,
): Promise<Result[]> {
  const both = [server, cluster];
  const found: Result[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const cell = { scenario: 'redis-cluster/contended', ...contention };
    const names = both.map(({ subject }) => subject);
    const some = await oneByOne(names, cell, context, async (name) => {
      const { url, controls } = name === cluster.subject ? cluster : server;
      return await measureContended(url, controls, '@locks', contention, patience, context.options);
    });
    found.push(some.map((result, index) => ({ ...result, ...cell, subject: names[index] ?? '' })));
  }
  const baseline = found.map((some) => some[0]?.p50 ?? Number.NaN);
  return both.map((_, index) => {
    const own = found.flatMap((some) => some[index] ?? []);
    const gaps = own.map(({ p50 = Number.NaN }) => p50);
    const middle = (of: (result: Result) => number | undefined): number | undefined =>
      median(own.map((result) => of(result) ?? Number.NaN));
    const sum = (of: (result: Result) => number | undefined): number =>
      own.reduce((total, result) => total + (of(result) ?? Number.NaN), 0);
    return {
      scenario: 'redis-cluster/contended',
      subject: both[index]?.subject ?? '',
      ...contention,
      perSecond: middle(({ perSecond }) => perSecond),
      p50: median(gaps),
      p99: middle(({ p99 }) => p99),
      ...ratioFigures('ratioToServer', gaps, baseline),
      commandsPerAcquisition: middle(({ commandsPerAcquisition }) => commandsPerAcquisition),
      allCommandsPerAcquisition: middle(({ allCommandsPerAcquisition }) => allCommandsPerAcquisition),
      handedOver: middle(({ handedOver }) => handedOver),
      inversions: sum(({ inversions }) => inversions),
      fairness: middle(({ fairness }) => fairness),
      starved: sum(({ starved }) => starved),
      violations: sum(({ violations }) => violations),
      failures: sum(({ failures }) => failures),
      firstFailure: own.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
    };
  });
}
