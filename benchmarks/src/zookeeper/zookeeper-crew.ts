import { sleep } from '../measure/clock.ts';
import type { Crew } from '../crew/crew.ts';
import type { Assignment } from '../crew/crew-messages.ts';
import { inQueue } from '../crew/in-queue.ts';
import { WorkerCrew, warmUp } from '../crew/worker-crew.ts';
import { openPeerCrew } from './peer-crew.ts';
import { settling } from './settling.ts';
import { openParty } from './subjects/index.ts';

export async function openCrew(assignment: Assignment): Promise<Crew> {
  const { subject, url, key, program, process, workers } = assignment;
  if (program !== undefined) return await openPeerCrew(assignment, program);
  const party = await openParty(subject, url);
  await warmUp(party, `${key}/warm-up/${process}`);
  const places = party.watchPlaces?.(key);
  return new WorkerCrew(assignment, {
    party,
    places,
    inQueue: (granted) => (places === undefined ? sleep(settling(workers)) : inQueue(places, workers, granted)),
    close: () => party.close(),
  });
}
