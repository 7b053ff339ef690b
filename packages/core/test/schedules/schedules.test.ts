import { describe, expect, it } from 'vitest';
import { flawedProviders, flawedRules } from './flaws.ts';
import { runSchedule, seedOf } from './run.ts';
import type { Flaw } from './world.ts';

const { LOCKS_SCHEDULES = '150', LOCKS_SCHEDULE_BASE = '20261121', LOCKS_SCHEDULE_SEED } = process.env;
const base = Number(LOCKS_SCHEDULE_BASE);
const perTest = Math.min(500, Number(LOCKS_SCHEDULES));
const timeout = 300_000;

/** The first failure among so many schedules. */
async function findFailure(
  flaw: Flaw | undefined,
  first: number,
  count: number,
  shrink: boolean = flaw === undefined,
): Promise<string | undefined> {
  for (let index = first; index < first + count; index += 1) {
    const { failure } = await runSchedule(seedOf(base, index), flaw, shrink);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function logOf(index: number): Promise<string> {
  return (await runSchedule(seedOf(base, index))).log.join('\n');
}

if (LOCKS_SCHEDULE_SEED !== undefined) {
  describe('the schedule that was asked for', () => {
    it(
      `breaks no promise: ${LOCKS_SCHEDULE_SEED}`,
      async () => {
        const { failure, log } = await runSchedule(Number(LOCKS_SCHEDULE_SEED));
        if (failure !== undefined) throw new Error(failure);
        console.log(log.join('\n'));
      },
      timeout,
    );
  });
} else {
  describe('schedules of several processes on one store', () => {
    const tests = Array.from({ length: Math.ceil(Number(LOCKS_SCHEDULES) / perTest) }, (_, index) => index * perTest);

    it.each(tests)(
      `break no promise over a bad network: ${perTest} from number %d`,
      async (first) => {
        const failure = await findFailure(undefined, first, perTest);
        if (failure !== undefined) throw new Error(failure);
      },
      timeout,
    );

    it(
      'happen again from their seed, event by event',
      async () => {
        for (let index = 0; index < 30; index += 1) {
          const log = await logOf(index);
          expect(log).not.toBe('');
          expect(await logOf(index)).toBe(log);
        }
      },
      timeout,
    );

    it(
      'differ from seed to seed',
      async () => {
        const logs = new Set<string>();
        for (let index = 0; index < 50; index += 1) logs.add(await logOf(index));
        expect(logs.size).toBeGreaterThan(45);
      },
      timeout,
    );

    it(
      'that break a promise are told with their events, shrunk, the same way each time',
      async () => {
        const flaw = flawedProviders['releases any holder of the key'];
        const tell = () => findFailure(flaw, 0, 100, true);
        const failure = await tell();
        expect(failure).toMatch(/Shrunk [1-9]/);
        expect(failure).toMatch(/LOCKS_SCHEDULE_SEED=\d+ npx vitest run schedules/);
        expect(failure).toMatch(/path: "/);
        expect(failure).toMatch(/store: release p\d/);
        expect(await tell()).toBe(failure);
      },
      timeout,
    );
  });

  // The rarest of them breaks one schedule of 700.
  describe('1 000 schedules are enough to find', () => {
    it.each(Object.entries(flawedProviders))(
      'a provider that %s',
      async (_, flaw) => {
        expect(await findFailure(flaw, 0, 1_000)).toBeDefined();
      },
      timeout,
    );

    it.each(Object.entries(flawedRules))(
      'a core where %s',
      async (_, flaw) => {
        expect(await findFailure(flaw, 0, 1_000)).toBeDefined();
      },
      timeout,
    );
  });
}
