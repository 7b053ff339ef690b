import { describe, test } from 'node:test';
import { startConformance } from '../harness.ts';
import type { ConformanceOptions } from '../options.ts';

/**
 * Registers one test of `node:test` per requirement, in a suite with the name of `options`.
 * Unverified requirements are reported as skipped, with the reason: never as passed.
 */
export function conformanceTests(options: ConformanceOptions): void {
  const run = startConformance(options);
  void describe(`${options.name} conformance`, { concurrency: 1 }, () => {
    for (const requirement of run.requirements) {
      void test(`${requirement.id}: ${requirement.title}`, { timeout: run.limit }, async (context) => {
        const { status, error, reason } = await run.check(requirement);
        if (error !== undefined) throw error;
        if (status !== 'passed') context.skip(`${status}: ${reason ?? ''}`);
      });
    }
    void test('declares no less than it does', { timeout: run.limit }, async (context) => {
      for (const note of await run.notes()) context.diagnostic(`${options.name}: ${note}`);
    });
  });
}
