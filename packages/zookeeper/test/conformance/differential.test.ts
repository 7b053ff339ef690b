import { differentialTest, exemptionsOf } from '@locks/conformance';
import { test } from 'vitest';
import { startAlone } from '../support/backends.ts';
import { breakable } from '../support/conformance.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 40);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);
const backend = await startAlone();

test(
  'the recipes answer as the rules of a key do, apart from what a ttl ends',
  async () => {
    const report = await differentialTest({
      name: 'zookeeper',
      create: () => breakable(backend, { acl: 'open', sessionTimeout: 20_000 }),
      // The first node of the queue holds the key before its process has looked.
      assigns: () => true,
      exemptions: exemptionsOf('zookeeper'),
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.5,
    });
    console.log(JSON.stringify(report));
  },
  120_000 + sequences * 1_000,
);
