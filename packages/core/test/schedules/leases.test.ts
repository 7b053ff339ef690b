import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/testing/index.ts';
import type { SimulateOptions, World } from '../../src/testing/index.ts';
import { flawedProviders, flawedRules } from './flaws.ts';
import type { Flaw } from './flaws.ts';
import { leases } from './leases.ts';

const { LOCKS_SCHEDULES = '150', LOCKS_SCHEDULE_BASE = '20261123', LOCKS_SCHEDULE } = process.env;

/** As the environment asks. */
const options: SimulateOptions = {
  seed: Number(LOCKS_SCHEDULE_BASE),
  schedules: Number(LOCKS_SCHEDULES),
  ...(LOCKS_SCHEDULE !== undefined && { replay: LOCKS_SCHEDULE }),
  ...{ processes: 4, steps: 24, patience: 4_700, settle: 3_000 },
};

/** In ms, of one test. */
const timeout = 1_800_000;

const scenario = (flaw?: Flaw) => (world: World) => leases(world, flaw);

async function failureOf(flaw: Flaw, schedules: number): Promise<string> {
  return await simulate({ ...options, schedules }, scenario(flaw)).then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );
}

describe('leases over a bad network', () => {
  it('keep all promises', { timeout }, async () => {
    await simulate(options, scenario());
  });

  // The rarest of them breaks one schedule of 600.
  describe('5 000 schedules are enough to find', () => {
    it.each(Object.entries(flawedProviders))('a provider that %s', { timeout }, async (_, flaw) => {
      expect(await failureOf(flaw, 5_000)).not.toBe('none');
    });

    it.each(Object.entries(flawedRules))('a core where %s', { timeout }, async (_, flaw) => {
      expect(await failureOf(flaw, 5_000)).not.toBe('none');
    });
  });
});
