import { pairFigures, ratesOf } from '../measure/pair-loop.ts';
import type { Pairs } from '../measure/pair-loop.ts';
import type { RatioName, Ratios, Result } from '../results.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { percentile, ratioFigures } from '../measure/statistics.ts';
import { openContestant } from './contestants.ts';
import type { Contestant } from './contestants.ts';
import { curator, kazoo } from './peer-programs.ts';
import type { PeerPrograms } from './peer-programs.ts';
import type { Server } from './server.ts';

interface Slice extends Pairs {
  readonly serverMicroseconds: number | undefined;
}

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
    const rounds = new Map([...slices].map(([{ name }, all]) => [name, all]));
    return names.map((subject) => {
      const own = rounds.get(subject) ?? [];
      const acquires = own.flatMap((slice) => slice.acquires);
      const to = (name: RatioName, other: string): Ratios =>
        ratioFigures(name, ratesOf(own), ratesOf(rounds.get(other)));
      return {
        scenario,
        subject,
        concurrency,
        ...pairFigures(own),
        ...to('ratioToRaw', 'raw client'),
        ...to('ratioToCurator', curator),
        ...to('ratioToKazoo', kazoo),
        acquireP50: percentile(acquires, 0.5),
        acquireP99: percentile(acquires, 0.99),
        ...ratioFigures('acquireToRaw', middles(own), middles(rounds.get('raw client'))),
        serverCpuMicroseconds: serverTime(own),
      };
    });
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.close()));
  }
}

/** The median time of an acquire, of each slice. */
function middles(slices: readonly Slice[] = []): readonly number[] {
  return slices.map(({ acquires }) => percentile(acquires, 0.5) ?? Number.NaN);
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
