import { failureText } from '../measure/failure.ts';
import type { Pairs } from '../measure/pair-loop.ts';
import type { Result } from '../results.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { median, percentile, ratioOfRounds } from '../measure/statistics.ts';
import { openContestant } from './contestants.ts';
import type { Contestant } from './contestants.ts';
import { curator, kazoo } from './peer-programs.ts';
import type { PeerPrograms } from './peer-programs.ts';
import type { Server } from './server.ts';

interface Slice extends Pairs {
  readonly serverMicroseconds: number | undefined;
}

type Rounds = ReadonlyMap<string, readonly Slice[]>;

/** Acquire and release without contention: each of `concurrency` workers has its own key. */
export async function measureUncontended(
  server: Server,
  names: readonly string[],
  programs: PeerPrograms,
  concurrency: number,
  rotation: Rotation,
  scenario: string = 'zookeeper/uncontended',
): Promise<Result[]> {
  const contestants: Contestant[] = [];
  try {
    for (const name of names) contestants.push(await openContestant(name, server.url, programs, concurrency));
    const slices = await rotate(contestants, rotation, async (contestant, ms): Promise<Slice> => {
      const before = await server.cpuMicroseconds();
      const pairs = await contestant.run(concurrency, ms);
      const after = await server.cpuMicroseconds();
      return { ...pairs, serverMicroseconds: after === undefined || before === undefined ? undefined : after - before };
    });
    const rounds: Rounds = new Map([...slices].map(([{ name }, all]) => [name, all]));
    return names.map((subject) => ({
      scenario,
      subject,
      concurrency,
      ...figuresOf(subject, rounds),
    }));
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.close()));
  }
}

function figuresOf(name: string, rounds: Rounds): Omit<Result, 'scenario' | 'subject'> {
  const rates = (of: string): number[] => (rounds.get(of) ?? []).map(({ perSecond }) => perSecond);
  const middles = (of: string): number[] =>
    (rounds.get(of) ?? []).map(({ acquires }) => percentile(acquires, 0.5) ?? Number.NaN);
  const own = rounds.get(name) ?? [];
  const latencies = own.flatMap((slice) => slice.latencies);
  const acquires = own.flatMap((slice) => slice.acquires);
  const errors = own.flatMap((slice) => slice.errors);
  const overRaw = ratioOfRounds(rates(name), rates('raw client'));
  const overCurator = ratioOfRounds(rates(name), rates(curator));
  const overKazoo = ratioOfRounds(rates(name), rates(kazoo));
  const acquireOverRaw = ratioOfRounds(middles(name), middles('raw client'));
  return {
    perSecond: median(rates(name)),
    ratioToRaw: overRaw?.median,
    ratioToRawLow: overRaw?.low,
    ratioToRawHigh: overRaw?.high,
    ratioToCurator: overCurator?.median,
    ratioToCuratorLow: overCurator?.low,
    ratioToCuratorHigh: overCurator?.high,
    ratioToKazoo: overKazoo?.median,
    ratioToKazooLow: overKazoo?.low,
    ratioToKazooHigh: overKazoo?.high,
    acquireP50: percentile(acquires, 0.5),
    acquireP99: percentile(acquires, 0.99),
    acquireToRaw: acquireOverRaw?.median,
    acquireToRawLow: acquireOverRaw?.low,
    acquireToRawHigh: acquireOverRaw?.high,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    clientMicroseconds: median(own.map(({ clientMicroseconds }) => clientMicroseconds)),
    serverCpuMicroseconds: serverTime(own),
    failures: errors.length,
    firstFailure: errors.length === 0 ? undefined : failureText(errors[0]),
  };
}

/** Over all rounds: the kernel's counter has steps too long for one. */
function serverTime(slices: readonly Slice[]): number | undefined {
  let [microseconds, pairs] = [0, 0];
  for (const slice of slices) {
    if (slice.serverMicroseconds === undefined) return undefined;
    microseconds += slice.serverMicroseconds;
    pairs += slice.latencies.length;
  }
  return pairs === 0 ? undefined : microseconds / pairs;
}
