import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/testing/index.ts';
import type { World } from '../../src/testing/index.ts';
import { asked, timeout } from './asked.ts';
import { flawedProviders, flawedRules } from './flaws.ts';
import type { Flaw } from './flaws.ts';
import { leases } from './leases.ts';

const options = { ...asked, processes: 4, steps: 24, patience: 4_700, settle: 3_000 };

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
