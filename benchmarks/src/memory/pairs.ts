import { setImmediate } from 'node:timers/promises';
import { now } from '../clock.ts';
import { rotate } from '../rotation.ts';
import type { Rotation } from '../rotation.ts';
import type { Result } from '../results.ts';
import { median, ratioOfRounds } from '../statistics.ts';
import type { Party } from '../subjects/subject.ts';
import { memorySubjects } from './subjects.ts';

/** How many workers, and whether they want the same key. */
export interface MemoryCase {
  readonly workers: number;
  readonly contended: boolean;
}

/** Acquire and release in a loop: pairs per second. */
export async function measurePairs({ workers, contended }: MemoryCase, rotation: Rotation): Promise<Result[]> {
  const contestants = memorySubjects.map(({ name, open }) => ({ name, party: open() }));
  const rates = await rotate(contestants, rotation, ({ party }, slice) => measureSlice(party, workers, contended, slice));
  const verrou = contestants.find(({ name }) => name === 'verrou');
  const base = (verrou && rates.get(verrou)) ?? [];
  return contestants.map((contestant) => {
    const own = rates.get(contestant) ?? [];
    const ratio = ratioOfRounds(own, base);
    return {
      scenario: contended ? 'memory/contended' : 'memory/uncontended',
      subject: contestant.name,
      concurrency: workers,
      perSecond: median(own),
      ratioToVerrou: ratio?.median,
      ratioToVerrouLow: ratio?.low,
      ratioToVerrouHigh: ratio?.high,
    };
  });
}

async function measureSlice(party: Party, workers: number, contended: boolean, ms: number): Promise<number> {
  await setImmediate();
  let pairs = 0;
  let over = false;
  const start = now();
  const end = start + ms;

  async function work(worker: number): Promise<void> {
    const key = contended ? 'one' : `key/${worker}`;
    while (!over) {
      const held = await party.acquire(key);
      await held.release();
      pairs += 1;
      // Looking at the clock costs as much as some locks do.
      if (pairs % 32 === 0) over = now() >= end;
    }
  }

  // Where nothing but promises is between two turns, no timer gets a turn: each worker looks for itself. One that polls, needs it.
  const timer = setTimeout(() => (over = true), ms);
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  clearTimeout(timer);
  return (pairs / (now() - start)) * 1_000;
}
