import { rotate } from '../../measure/rotation.ts';
import type { Rotation } from '../../measure/rotation.ts';
import { median, percentile, ratioOfRounds } from '../../measure/statistics.ts';
import type { Result } from '../../results.ts';
import { connect } from '../counting-client.ts';
import { ownParty } from '../subjects/ours.ts';
import { measureSlice } from '../uncontended.ts';
import { connectCluster, isClusterUrl } from './counting-cluster.ts';
import type { Deployment, Deployments } from './servers.ts';

/** Acquire and release of separate keys, on one server and on a Cluster in turn. */
export async function measureClusterPairs(
  { server, cluster }: Deployments,
  concurrency: number,
  rotation: Rotation,
): Promise<Result[]> {
  const contestants = await Promise.all([server, cluster].map(open));
  const slices = await rotate(contestants, rotation, (contestant, slice) =>
    measureSlice(contestant.controls, contestant, concurrency, slice),
  );
  for (const { client } of contestants) client.disconnect();
  const rates = contestants.map((contestant) => (slices.get(contestant) ?? []).map(({ perSecond }) => perSecond));
  return contestants.map((contestant, index) => {
    const own = slices.get(contestant) ?? [];
    const ratio = ratioOfRounds(rates[index] ?? [], rates[0] ?? []);
    const latencies = own.flatMap((slice) => slice.latencies);
    const errors = own.flatMap((slice) => slice.errors);
    return {
      scenario: 'redis-cluster/uncontended',
      subject: contestant.name,
      concurrency,
      perSecond: median(rates[index] ?? []),
      ratioToServer: ratio?.median,
      ratioToServerLow: ratio?.low,
      ratioToServerHigh: ratio?.high,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      commandsPerAcquisition: median(own.map(({ commands }) => commands)),
      allCommandsPerAcquisition: median(own.map(({ all }) => all)),
      clientMicroseconds: median(own.map(({ clientMicroseconds }) => clientMicroseconds)),
      failures: errors.length,
      firstFailure: errors.length === 0 ? undefined : String(errors[0]),
    };
  });
}

async function open({ subject, url, controls }: Deployment) {
  const { client, counter } = await (isClusterUrl(url) ? connectCluster(url) : connect(url));
  return { name: subject, client, counter, controls, party: ownParty(client) };
}
