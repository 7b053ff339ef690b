import { now, sleep } from '../measure/clock.ts';
import type { Crew } from '../crew/crew.ts';
import type { Assignment } from '../crew/crew-messages.ts';
import { WorkerCrew, warmUp } from '../crew/worker-crew.ts';
import type { Places } from '../subjects/party.ts';
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
    inLine: (granted) => (places === undefined ? sleep(settling(workers)) : inLine(places, workers, granted)),
    close: () => party.close(),
  });
}

/**
 * Until nearly all have a place or the lock: while it is handed on, a worker is always on the way.
 * For 5 s at most.
 */
async function inLine(places: Places, workers: number, granted: () => number): Promise<void> {
  const end = now() + 5_000;
  const enough = Math.ceil(workers * 0.9);
  while (places.waiting().length + Math.min(granted(), 1) < enough && now() < end) await sleep(5);
}
