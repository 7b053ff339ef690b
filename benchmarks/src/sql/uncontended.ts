import { setImmediate } from 'node:timers/promises';
import { failureText } from '../measure/failure.ts';
import { runPairs } from '../measure/pair-loop.ts';
import type { Pairs } from '../measure/pair-loop.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { median, percentile, ratioOfRounds } from '../measure/statistics.ts';
import type { Database } from './database.ts';
import { openParty } from './subjects/index.ts';
import type { SqlParty } from './subjects/subject.ts';

interface Contestant {
  readonly name: string;
  readonly party: SqlParty;
}

/** Acquire and release without contention: each of `concurrency` workers has its own key. */
export async function measureUncontended(
  { dialect, url }: Database,
  names: readonly string[],
  concurrency: number,
  rotation: Rotation,
  { retryDelay }: RetryOptions,
): Promise<Result[]> {
  const contestants: Contestant[] = [];
  try {
    for (const name of names) contestants.push({ name, party: await openParty(name, { url, retryDelay }) });
    const slices = await rotate(contestants, rotation, async ({ name, party }, slice) => {
      await setImmediate();
      return await runPairs(name, party, concurrency, slice);
    });
    const rounds = new Map([...slices].map(([{ name }, all]) => [name, all]));
    return names.map((subject) => ({
      scenario: `${dialect}/uncontended`,
      subject,
      concurrency,
      ...figuresOf(subject, rounds),
    }));
  } finally {
    await Promise.all(contestants.map(({ party }) => party.close()));
  }
}

function figuresOf(name: string, rounds: ReadonlyMap<string, readonly Pairs[]>): Omit<Result, 'scenario' | 'subject'> {
  const rates = (of: string): number[] => (rounds.get(of) ?? []).map(({ perSecond }) => perSecond);
  const own = rounds.get(name) ?? [];
  const latencies = own.flatMap((slice) => slice.latencies);
  const errors = own.flatMap((slice) => slice.errors);
  const overRaw = ratioOfRounds(rates(name), rates('raw client'));
  const overVerrou = ratioOfRounds(rates(name), rates('verrou'));
  return {
    perSecond: median(rates(name)),
    ratioToRaw: overRaw?.median,
    ratioToRawLow: overRaw?.low,
    ratioToRawHigh: overRaw?.high,
    ratioToVerrou: overVerrou?.median,
    ratioToVerrouLow: overVerrou?.low,
    ratioToVerrouHigh: overVerrou?.high,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    clientMicroseconds: median(own.map(({ clientMicroseconds }) => clientMicroseconds)),
    failures: errors.length,
    firstFailure: errors.length === 0 ? undefined : failureText(errors[0]),
  };
}
