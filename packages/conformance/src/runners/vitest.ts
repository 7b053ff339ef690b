import { describe, test } from 'vitest';
import { startConformance } from '../harness.ts';
import type { ConformanceOptions } from '../options.ts';

/**
 * Registers one test of vitest per requirement that applies, in a suite with the name of `options`.
 * Unverified requirements are reported as skipped, with the reason: never as passed. If `create`
 * works only once tests run (a server started by a hook), all requirements are registered, and
 * those that do not apply are skipped.
 */
export function conformanceTests(options: ConformanceOptions): void {
  const run = startConformance(options);
  describe(`${options.name} conformance`, { concurrent: false }, async () => {
    const applicable = await run.applicable().catch(() => run.requirements);
    for (const requirement of applicable) {
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
