import { setImmediate } from 'node:timers/promises';
import { now } from '../measure/clock.ts';
import { ratesOf } from '../measure/pair-loop.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import type { Result } from '../results.ts';
import { median, ratioFigures } from '../measure/statistics.ts';
import type { Party } from '../subjects/party.ts';
import { memorySubjects } from './subjects.ts';

/** The number of workers, and whether they want the same key. */
export interface MemoryCase {
  readonly workers: number;
  readonly contended: boolean;
}

/** Acquire and release in a loop: pairs per second. */
export async function measurePairs({ workers, contended }: MemoryCase, rotation: Rotation): Promise<Result[]> {
  const contestants = memorySubjects.map(({ name, open }) => ({ name, party: open() }));
  const slices = await rotate(contestants, rotation, ({ party }, slice) =>
    measureSlice(party, workers, contended, slice),
  );
  const verrou = contestants.find(({ name }) => name === 'verrou');
  return contestants.map((contestant) => {
    const own = slices.get(contestant) ?? [];
    return {
      scenario: contended ? 'memory/contended' : 'memory/uncontended',
      subject: contestant.name,
      concurrency: workers,
      perSecond: median(ratesOf(own)),
      clientMicroseconds: median(own.map(({ microseconds }) => microseconds)),
      ...ratioFigures('ratioToVerrou', ratesOf(own), ratesOf(verrou && slices.get(verrou))),
      failures: own.reduce((sum, slice) => sum + slice.failures, 0),
      violations: own.reduce((sum, slice) => sum + slice.violations, 0),
    };
  });
}

interface Slice {
  readonly perSecond: number;
  readonly microseconds: number;
  readonly failures: number;
  readonly violations: number;
}

async function measureSlice(party: Party, workers: number, contended: boolean, ms: number): Promise<Slice> {
  await setImmediate();
  let pairs = 0;
  let failures = 0;
  let violations = 0;
  let holders = 0;
  let over = false;
  const before = process.cpuUsage();
  const start = now();
  const end = start + ms;

  async function work(worker: number): Promise<void> {
    const key = contended ? 'one' : `key/${worker}`;
    while (!over) {
      const held = await party.acquire(key);
      if (contended) {
        if (holders > 0) violations += 1;
        holders += 1;
        // So that another holder would show.
        await Promise.resolve();
        holders -= 1;
      }
      try {
        await held.release();
      } catch {
        failures += 1;
      }
      pairs += 1;
      // Reading the clock costs as much as some locks do.
      if (pairs % 32 === 0) over = now() >= end;
    }
  }

  // If only promises are between two turns, no timer runs: each worker checks for itself. One that
  // polls needs it.
  const timer = setTimeout(() => (over = true), ms);
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  clearTimeout(timer);
  const took = now() - start;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (pairs / took) * 1_000, microseconds: (user + system) / pairs, failures, violations };
}
