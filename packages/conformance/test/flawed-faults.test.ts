import { createLocks } from '@locks/core';
import { requirements } from '@locks/conformance';
import { afterAll, describe, test } from 'vitest';
import { runConformanceWith } from '../src/harness.ts';
import { faultFlaws } from './flawed/faults/index.ts';
import { createMutantTable } from './support/mutants.ts';

/** Cheap requirements of all kinds, which a flaw of another kind must not break. */
const others = [
  ...['sever-calls-work-again', 'sever-in-flight', 'sever-keeps-hold', 'sever-keeps-place', 'sever-wakes'],
  ...['lost-reply-of-attempt', 'lost-reply-of-sharer', 'lost-reply-of-renewal', 'lost-reply-of-release'],
  ...['lost-reply-of-place', 'duplicate-attempt', 'duplicate-sharer', 'duplicate-release', 'duplicate-place'],
  ...['restart-exclusion', 'restart-tokens', 'empty-restart-tokens', 'locks-dropped-reply'],
];
/** Everything against every flaw takes minutes: for whoever adds a requirement or a flaw. */
const everything = process.env['LOCKS_TEST_FLAWS'] === 'all';
const byFaults = requirements.filter(({ needs }) => needs?.some((need) => need !== 'processes')).map(({ id }) => id);

/** How long a requirement waits before it fails, in ms: mutants make many of them wait. */
const patience = 1_500;

const table = createMutantTable('providers that a fault brings down, and the requirements that caught them');
afterAll(() => console.log(table.print()));

describe.concurrent('flawed providers behind a network that fails', () => {
  for (const flaw of faultFlaws) {
    const { name, caughtBy, mayAlsoFail, make } = flaw;
    test(name, async () => {
      // Where everything builds on what is broken, the others prove nothing.
      const control = mayAlsoFail?.includes('*') ? [] : others;
      const only = everything ? byFaults : [...new Set([...caughtBy, ...control])];
      const options = { name, ...make(), ttl: 200, only, limit: 4_000 };
      table.judge(flaw, await runConformanceWith({ createLocks }, options, patience));
    });
  }
});
