import { sleep } from '../measure/clock.ts';
import type { Crew } from '../crew/crew.ts';
import type { Assignment } from '../crew/crew-messages.ts';
import { inQueue } from '../crew/in-queue.ts';
import { WorkerCrew, warmUp } from '../crew/worker-crew.ts';
import { openNotifyCrew } from './notify-crew.ts';
import { notification } from './notify-name.ts';
import { openParty } from './subjects/index.ts';
import { dialectOf } from './subjects/subject.ts';

export async function openCrew(assignment: Assignment): Promise<Crew> {
  const { subject, url, retryDelay, key, ownKeys, workers } = assignment;
  if (subject === notification) return await openNotifyCrew(assignment);
  const party = await openParty(subject, { url, retryDelay });
  // The crews also contend for 6 s before they are counted.
  await warmUp(party, `${key}/warm-up/${assignment.process}`, 400);
  // Several connections: the order of calls is not the order of places, not even within one
  // process.
  const places = ownKeys === true ? undefined : party.watchPlaces?.(key);
  return new WorkerCrew(assignment, {
    party,
    places,
    synchronous: dialectOf(url) === 'sqlite',
    inQueue: (granted) => (places === undefined ? sleep(settling) : inQueue(places, workers, granted)),
    close: () => party.close(),
  });
}

/** Ms that those get to take their places who do not tell when they have. */
const settling = 500;
