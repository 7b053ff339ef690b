import type { Crew } from '../crew/crew.ts';
import type { Assignment } from '../crew/crew-messages.ts';
import { WorkerCrew, warmUp } from '../crew/worker-crew.ts';
import { CommandCounter } from '../redis/counting-client.ts';
import { connectAll } from './nodes.ts';
import { loadSubject } from './subjects/index.ts';

export async function openCrew(assignment: Assignment): Promise<Crew> {
  const counter = new CommandCounter();
  const clients = await connectAll(assignment.url.split(','), counter);
  const subject = await loadSubject(assignment.subject);
  const party = subject.open(clients, { retryDelay: assignment.retryDelay });
  await warmUp(party, `${assignment.key}/warm-up/${assignment.process}`);
  return new WorkerCrew(assignment, {
    party,
    places: assignment.processes > 1 ? party.watchPlaces?.(assignment.key) : undefined,
    counter,
    // The connections answer in order, so all first attempts have been answered by then.
    inQueue: () => Promise.all(clients.map((client) => client.ping())),
  });
}
