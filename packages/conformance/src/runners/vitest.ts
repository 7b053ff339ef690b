import { describe, test } from 'vitest';
import { startConformance } from '../harness.ts';
import type { ConformanceOptions } from '../options.ts';

/**
 * Registers one test of vitest per requirement, under a suite with the name of `options`. What was not verified is reported
 * as skipped, with the reason: never as passed.
 */
export function conformanceTests(options: ConformanceOptions): void {
  const run = startConformance(options);
  describe(`${options.name} conformance`, { concurrent: false }, () => {
    for (const requirement of run.requirements) {
      test(`${requirement.id}: ${requirement.title}`, { timeout: run.limit }, async (context) => {
        const { status, error, reason } = await run.check(requirement);
        if (error !== undefined) throw error;
        if (status !== 'passed') context.skip(`${status}: ${reason ?? ''}`);
      });
    }
    test('declares no less than it does', { timeout: run.limit }, async () => {
      for (const note of await run.notes()) console.warn(`${options.name}: ${note}`);
    });
  });
}
