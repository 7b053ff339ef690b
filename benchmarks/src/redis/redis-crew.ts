import type { Crew } from '../crew/crew.ts';
import type { Assignment } from '../crew/crew-messages.ts';
import { inQueue } from '../crew/in-queue.ts';
import { WorkerCrew, warmUp } from '../crew/worker-crew.ts';
import { loadSubject } from './subjects/index.ts';
import { ownParty } from './subjects/ours.ts';
import { connect } from './counting-client.ts';
import { connectCluster, isClusterUrl } from './cluster/counting-cluster.ts';
import { openPushCrew } from './push-crew.ts';
import { push } from './push-name.ts';

export async function openCrew(assignment: Assignment): Promise<Crew> {
  if (assignment.subject === push) return await openPushCrew(assignment);
  const { url, workers } = assignment;
  const clustered = isClusterUrl(url);
  const { client, counter, party } = await (clustered ? openOnCluster(url) : openOnServer(assignment));
  await warmUp(party, `${assignment.key}/warm-up/${assignment.process}`);
  // Among processes the order of calls is not that of positions; within one, one connection
  // preserves it.
  const places = assignment.processes > 1 || clustered ? party.watchPlaces?.(assignment.key) : undefined;
  return new WorkerCrew(assignment, {
    party,
    places,
    counter,
    inQueue: async (granted) => {
      // A connection answers in order, so all first attempts have been answered by then. A Cluster
      // client has several.
      if (places === undefined || !clustered) await client.ping();
      else await inQueue(places, workers, granted);
    },
  });
}

async function openOnServer({ url, subject, retryDelay }: Assignment) {
  const { client, counter } = await connect(url);
  return { client, counter, party: (await loadSubject(subject)).open(client, { retryDelay }) };
}

/** Of this library only. */
async function openOnCluster(url: string) {
  const { client, counter } = await connectCluster(url);
  return { client, counter, party: ownParty(client) };
}
