import type { Patience } from '../../crew/contention.ts';
import { rotationFor } from '../../suite.ts';
import type { Servers, SuiteContext } from '../../suite.ts';
import { latencyColumns, pairsColumn, subjectColumn } from '../../tables/columns.ts';
import { contendedColumns, sentColumn, serverColumn } from '../tables.ts';
import { measureClusterGaps } from './contended.ts';
import { startDeployments } from './servers.ts';
import { measureClusterPairs } from './uncontended.ts';

/** `@locks` on a Cluster of three masters, against itself on one server. */
export async function runClusterSuite(context: SuiteContext): Promise<Servers> {
  await using deployments = await startDeployments();
  const { quick } = context.options;
  if (context.wants('uncontended')) {
    const columns = [subjectColumn, pairsColumn, serverColumn, ...latencyColumns, sentColumn];
    for (const concurrency of [1, 8, 64]) {
      await context.table(`Uncontended, ${concurrency} at once`, columns, () =>
        measureClusterPairs(deployments, concurrency, rotationFor(context, 15, 130)),
      );
    }
  }
  if (context.wants('contended')) {
    const patience: Patience = { least: quick ? 500 : 1_500, most: 4_500, acquisitions: quick ? 300 : 1_000 };
    for (const hold of [0, 2]) {
      for (const processes of [1, 4]) {
        for (const waiters of [10, 100]) {
          const contention = { waiters, processes, hold };
          const title = `Contended, ${waiters} on one key in ${processes} process(es), held ${hold} ms`;
          await context.table(title, [...contendedColumns, serverColumn], () =>
            measureClusterGaps(deployments, contention, patience, quick ? 1 : 7, context),
          );
        }
      }
    }
  }
  return { redis: deployments.version };
}
