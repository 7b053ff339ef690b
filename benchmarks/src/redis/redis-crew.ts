import type { Crew } from '../crew/crew.ts';
import type { Assignment } from '../crew/crew-messages.ts';
import { WorkerCrew, warmUp } from '../crew/worker-crew.ts';
import { loadSubject } from './subjects/index.ts';
import { connect } from './counting-client.ts';
import { openPushCrew } from './push-crew.ts';
import { push } from './push-name.ts';

export async function openCrew(assignment: Assignment): Promise<Crew> {
  if (assignment.subject === push) return await openPushCrew(assignment);
  const { client, counter } = await connect(assignment.url);
  const subject = await loadSubject(assignment.subject);
  const party = subject.open(client, { retryDelay: assignment.retryDelay });
  await warmUp(party, `${assignment.key}/warm-up/${assignment.process}`);
  return new WorkerCrew(assignment, {
    party,
    // Among processes the order of calls is not the order of places; within one, one connection
    // keeps it.
    places: assignment.processes > 1 ? party.watchPlaces?.(assignment.key) : undefined,
    counter,
    // The connection answers in order, so all first attempts have been answered by then.
    inLine: () => client.ping(),
  });
}
