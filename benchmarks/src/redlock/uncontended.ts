import { setImmediate } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { CommandCounter } from '../redis/counting-client.ts';
import { pairFigures, ratesOf, runPairs } from '../measure/pair-loop.ts';
import type { Party, RetryOptions } from '../subjects/party.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import type { Result } from '../results.ts';
import { median, percentile, ratioFigures } from '../measure/statistics.ts';
import { isPeer } from '../subjects/subject-choice.ts';
import { rawName } from './names.ts';
import { connectAll } from './nodes.ts';
import type { Nodes } from './nodes.ts';
import { countRoundTrips } from './round-trips.ts';
import { loadSubject } from './subjects/index.ts';

interface Contestant {
  readonly name: string;
  readonly party: Party;
  readonly clients: readonly Redis[];
}

/** Acquire and release without contention: each of `concurrency` workers has its own key. */
export async function measureUncontended(
  nodes: Nodes,
  names: readonly string[],
  concurrency: number,
  rotation: Rotation,
  options: RetryOptions,
): Promise<Result[]> {
  const contestants: Contestant[] = [];
  for (const name of names) {
    const clients = await connectAll(nodes.urls, new CommandCounter());
    contestants.push({ name, clients, party: (await loadSubject(name)).open(clients, options) });
  }
  const slices = await rotate(contestants, rotation, async ({ name, party }, slice) => {
    await setImmediate();
    return await runPairs(name, party, concurrency, slice);
  });
  for (const { clients } of contestants) for (const client of clients) client.disconnect();
  await nodes.flush();

  const bySubject = new Map(contestants.map((contestant) => [contestant.name, slices.get(contestant) ?? []]));
  const speed = (name: string): number => median(ratesOf(bySubject.get(name))) ?? 0;
  const [fastestPeer] = names.filter(isPeer).toSorted((a, b) => speed(b) - speed(a));
  const results: Result[] = [];
  for (const subject of names) {
    const own = bySubject.get(subject) ?? [];
    const acquires = own.flatMap((slice) => slice.acquires);
    results.push({
      scenario: 'redlock/uncontended',
      subject,
      concurrency,
      ...pairFigures(own),
      acquireP50: percentile(acquires, 0.5),
      ...ratioFigures('ratioToRaw', ratesOf(own), ratesOf(bySubject.get(rawName))),
      ...(fastestPeer && ratioFigures('ratioToPeer', ratesOf(own), ratesOf(bySubject.get(fastestPeer)))),
      fastestPeer,
      ...(concurrency === 1 ? await countRoundTrips(nodes.urls, subject) : {}),
    });
  }
  return results;
}
