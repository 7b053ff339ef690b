import { setImmediate } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { pairFigures, ratesOf, runPairs } from '../measure/pair-loop.ts';
import type { Pairs } from '../measure/pair-loop.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import type { Result } from '../results.ts';
import { median, ratioFigures } from '../measure/statistics.ts';
import { loadSubject } from './subjects/index.ts';
import type { Party, RetryOptions } from '../subjects/party.ts';
import { connect } from './counting-client.ts';
import type { CommandCounter } from './counting-client.ts';
import { allCommands, readStatistics, resetStatistics, serverTime } from './server-statistics.ts';

interface Contestant {
  readonly name: string;
  readonly party: Party;
  readonly client: Redis;
  readonly counter: CommandCounter;
}

export interface Slice extends Pairs {
  readonly commands: number;
  readonly all: number;
  readonly serverMicroseconds: number;
}

/** Acquire and release without contention: each of `concurrency` workers has its own key. */
export async function measureUncontended(
  url: string,
  control: Redis,
  names: readonly string[],
  concurrency: number,
  rotation: Rotation,
  options: RetryOptions,
): Promise<Result[]> {
  const contestants: Contestant[] = [];
  for (const name of names) {
    const { client, counter } = await connect(url);
    const subject = await loadSubject(name);
    contestants.push({ name, client, counter, party: subject.open(client, options) });
  }
  const slices = await rotate(contestants, rotation, (contestant, slice) =>
    measureSlice([control], contestant, concurrency, slice),
  );
  for (const { client } of contestants) client.disconnect();
  await control.flushall();

  const raw = contestants.find(({ name }) => name === 'raw client');
  return contestants.map((contestant) => {
    const own = slices.get(contestant) ?? [];
    return {
      scenario: 'redis/uncontended',
      subject: contestant.name,
      concurrency,
      ...pairFigures(own),
      ...ratioFigures('ratioToRaw', ratesOf(own), ratesOf(raw && slices.get(raw))),
      ...sentFigures(own),
      serverMicroseconds: median(own.map(({ serverMicroseconds }) => serverMicroseconds)),
    };
  });
}

export function sentFigures(
  slices: readonly Slice[],
): Pick<Result, 'commandsPerAcquisition' | 'allCommandsPerAcquisition'> {
  return {
    commandsPerAcquisition: median(slices.map(({ commands }) => commands)),
    allCommandsPerAcquisition: median(slices.map(({ all }) => all)),
  };
}

/** One turn of a contestant, in ms. */
export async function measureSlice(
  controls: readonly Redis[],
  { name, party, counter }: Pick<Contestant, 'name' | 'party' | 'counter'>,
  concurrency: number,
  ms: number,
): Promise<Slice> {
  await setImmediate();
  await resetStatistics(controls);
  counter.reset();
  const pairs = await runPairs(name, party, concurrency, ms);
  const sent = new Map(counter.calls);
  const commands = counter.total;
  const server = await readStatistics(controls);
  const count = pairs.latencies.length;
  return {
    ...pairs,
    commands: commands / count,
    all: allCommands(server) / count,
    serverMicroseconds: serverTime(server, sent) / count,
  };
}
