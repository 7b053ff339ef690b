import { now, sleep } from '../measure/clock.ts';
import { runPairs } from '../measure/pair-loop.ts';
import { CommandCounter } from '../redis/counting-client.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { percentile } from '../measure/statistics.ts';
import { memberTimeout } from './member-timeout.ts';
import { connectAll } from './nodes.ts';
import type { Nodes } from './nodes.ts';
import { loadSubject } from './subjects/index.ts';

const workers = 8;
const warmUp = 400;
/** A pair that takes at least this, in ms, has waited for the frozen node. */
const slow = 0.9 * memberTimeout;

/**
 * A node freezes (SIGSTOP) under `workers` with a key each, for `ms`. The cost of the frozen node
 * is what a worker loses to pairs that take nearly a member timeout.
 */
export async function measureFrozen(
  nodes: Nodes,
  subject: string,
  node: number,
  ms: number,
  options: RetryOptions,
): Promise<Result> {
  const clients = await connectAll(nodes.urls, new CommandCounter());
  const party = (await loadSubject(subject)).open(clients, options);
  await runPairs(`frozen/${node}/${subject}`, party, workers, warmUp);
  const server = nodes.servers[node];
  await server?.pause();
  const start = now();
  const pairs = Array.from({ length: workers }, (_, worker) =>
    runPairs(`frozen/${node}/${subject}/${worker}`, party, 1, ms),
  );
  // One that waits for the frozen node continues afterwards.
  await sleep(ms + memberTimeout);
  await server?.resume();
  const results = await Promise.all(pairs);
  const took = now() - start;
  for (const client of clients) client.disconnect();
  await nodes.flush();

  const slowOnes = results.map(({ latencies }) => latencies.filter((latency) => latency >= slow));
  const others = results.flatMap(({ latencies }) => latencies.filter((latency) => latency < slow));
  const errors = results.flatMap((result) => result.errors);
  return {
    scenario: 'redlock/frozen',
    subject,
    node: node + 1,
    perSecond: (others.length / took) * 1_000,
    p50: percentile(others, 0.5),
    p99: percentile(others, 0.99),
    slowPairs: Math.max(...slowOnes.map(({ length }) => length)),
    slowTime: Math.max(...slowOnes.map((latencies) => latencies.reduce((sum, latency) => sum + latency, 0))),
    failures: errors.length,
    firstFailure: errors.length === 0 ? undefined : String(errors[0]),
  };
}
