import { requirements, runConformance } from '@locks/conformance';
import { afterAll, describe, test } from 'vitest';
import { faultFlaws } from './flawed/faults/index.ts';
import { createMutantTable, everything, requirementsFor } from './support/mutants.ts';

/** Cheap requirements of all kinds, which a flaw of another kind must not break. */
const others = [
  ...['sever-calls-work-again', 'sever-in-flight', 'sever-keeps-hold', 'sever-keeps-place', 'sever-wakes'],
  ...['lost-reply-of-attempt', 'lost-reply-of-sharer', 'lost-reply-of-renewal', 'lost-reply-of-release'],
  ...['lost-reply-of-place', 'duplicate-attempt', 'duplicate-sharer', 'duplicate-release', 'duplicate-place'],
  ...['restart-exclusion', 'restart-tokens', 'empty-restart-tokens', 'locks-dropped-reply'],
];
const byFaults = requirements.filter(({ needs }) => needs?.some((need) => need !== 'processes')).map(({ id }) => id);

const table = createMutantTable('providers that a fault brings down, and the requirements that caught them');
afterAll(() => console.log(table.print()));

describe.concurrent('flawed providers behind a network that fails', () => {
  for (const flaw of faultFlaws) {
    const { name, make, ttl = 200 } = flaw;
    test(name, async () => {
      const ids = everything ? byFaults : requirementsFor(flaw, others);
      await table.judge(flaw, ids, (only) => runConformance({ name, ...make(), ttl, only, limit: 6_000 }));
    });
  }
});
