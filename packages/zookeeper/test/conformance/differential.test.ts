import { differentialTest } from '@locks/conformance';
import { test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { startAlone } from '../support/backends.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 40);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);
const { members } = await startAlone();
const servers = members.map(({ host, port }) => `${host}:${port}`).join(',');

test(
  'the recipes answer as the rules of a key do, apart from what a ttl ends',
  async () => {
    const report = await differentialTest({
      name: 'zookeeper',
      create: () => createZookeeperProvider({ servers, acl: 'open', sessionTimeout: 20_000 }),
      // The first node of the queue holds the key before its process has looked.
      assigns: () => true,
      exemptions: [
        {
          id: 'floor-of-a-place',
          reason: 'the token is settled by the attempt that finds its node first, with the floor of that attempt',
          covers: ({ what, before }) => what === 'token' && before.holds.some(({ assigned }) => assigned),
        },
      ],
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.3,
    });
    console.log(JSON.stringify(report));
  },
  120_000 + sequences * 1_000,
);
