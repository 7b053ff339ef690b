import { setImmediate } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { CommandCounter } from '../redis/counting-client.ts';
import { runPairs } from '../measure/pair-loop.ts';
import type { Pairs } from '../measure/pair-loop.ts';
import type { Party, RetryOptions } from '../subjects/party.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import type { Result } from '../results.ts';
import { median, percentile, ratioOfRounds } from '../measure/statistics.ts';
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
  const rates = (name: string): number[] => (bySubject.get(name) ?? []).map(({ perSecond }) => perSecond);
  const fastestPeer = names.filter(isPeer).toSorted((a, b) => (median(rates(b)) ?? 0) - (median(rates(a)) ?? 0))[0];
  const results: Result[] = [];
  for (const name of names) {
    const trips = concurrency === 1 ? await countRoundTrips(nodes.urls, name) : {};
    const own = bySubject.get(name) ?? [];
    const toRaw = ratioOfRounds(rates(name), rates(rawName));
    const toPeer = fastestPeer === undefined ? undefined : ratioOfRounds(rates(name), rates(fastestPeer));
    results.push({
      scenario: 'redlock/uncontended',
      subject: name,
      concurrency,
      perSecond: median(rates(name)),
      ratioToRaw: toRaw?.median,
      ratioToRawLow: toRaw?.low,
      ratioToRawHigh: toRaw?.high,
      ratioToPeer: toPeer?.median,
      ratioToPeerLow: toPeer?.low,
      ratioToPeerHigh: toPeer?.high,
      fastestPeer,
      ...trips,
      ...figuresOf(own),
    });
  }
  return results;
}

function figuresOf(slices: readonly Pairs[]): Partial<Result> {
  const latencies = slices.flatMap((slice) => slice.latencies);
  const acquires = slices.flatMap((slice) => slice.acquires);
  const errors = slices.flatMap((slice) => slice.errors);
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    acquireP50: percentile(acquires, 0.5),
    clientMicroseconds: median(slices.map(({ clientMicroseconds }) => clientMicroseconds)),
    failures: errors.length,
    firstFailure: errors.length === 0 ? undefined : String(errors[0]),
  };
}
