import { rotate } from '../../measure/rotation.ts';
import type { Rotation } from '../../measure/rotation.ts';
import { pairFigures, ratesOf } from '../../measure/pair-loop.ts';
import { ratioFigures } from '../../measure/statistics.ts';
import type { Result } from '../../results.ts';
import { connect } from '../counting-client.ts';
import { ownParty } from '../subjects/ours.ts';
import { measureSlice, sentFigures } from '../uncontended.ts';
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
  const [first = []] = slices.values();
  return contestants.map((contestant) => {
    const own = slices.get(contestant) ?? [];
    return {
      scenario: 'redis-cluster/uncontended',
      subject: contestant.name,
      concurrency,
      ...pairFigures(own),
      ...ratioFigures('ratioToServer', ratesOf(own), ratesOf(first)),
      ...sentFigures(own),
    };
  });
}

async function open({ subject, url, controls }: Deployment) {
  const { client, counter } = await (isClusterUrl(url) ? connectCluster(url) : connect(url));
  return { name: subject, client, counter, controls, party: ownParty(client) };
}
