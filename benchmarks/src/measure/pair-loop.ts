import { setImmediate } from 'node:timers/promises';
import type { Result } from '../results.ts';
import { now } from './clock.ts';
import { failureText } from './failure.ts';
import { median, percentile } from './statistics.ts';
import type { Party } from '../subjects/party.ts';

/** The results of a slice of acquiring and releasing. */
export interface Pairs {
  readonly perSecond: number;
  /** Ms of each acquire and release. */
  readonly latencies: readonly number[];
  /** Ms of each acquire. */
  readonly acquires: readonly number[];
  /** CPU time of this process for each, in µs. */
  readonly clientMicroseconds: number;
  readonly errors: readonly unknown[];
}

/** Each of `concurrency` workers acquires and releases a separate key for `ms`. */
export async function runPairs(name: string, party: Party, concurrency: number, ms: number): Promise<Pairs> {
  const latencies: number[] = [];
  const acquires: number[] = [];
  const errors: unknown[] = [];
  const before = process.cpuUsage();
  const start = now();
  const end = start + ms;

  async function work(worker: number): Promise<void> {
    const key = `${name}/${worker}`;
    let last = now();
    while (last < end) {
      let acquired: number;
      try {
        const held = await party.acquire(key);
        acquired = now();
        await held.release();
      } catch (error) {
        errors.push(error);
        await setImmediate();
        last = now();
        continue;
      }
      const after = now();
      acquires.push(acquired - last);
      latencies.push(after - last);
      last = after;
    }
  }

  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  const took = now() - start;
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (latencies.length / took) * 1_000,
    latencies,
    acquires,
    clientMicroseconds: (user + system) / latencies.length,
    errors,
  };
}

/** The figures of all slices of one subject. */
export function pairFigures(
  slices: readonly Pairs[],
): Pick<Result, 'perSecond' | 'p50' | 'p99' | 'clientMicroseconds' | 'failures' | 'firstFailure'> {
  const latencies = slices.flatMap((slice) => slice.latencies);
  const errors = slices.flatMap((slice) => slice.errors);
  return {
    perSecond: median(ratesOf(slices)),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    clientMicroseconds: median(slices.map(({ clientMicroseconds }) => clientMicroseconds)),
    failures: errors.length,
    firstFailure: errors.length === 0 ? undefined : failureText(errors[0]),
  };
}

export function ratesOf(slices: readonly Pick<Pairs, 'perSecond'>[] = []): readonly number[] {
  return slices.map(({ perSecond }) => perSecond);
}
