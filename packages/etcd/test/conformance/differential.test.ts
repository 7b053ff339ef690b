import { differentialTest, exemptionsOf } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import { startEtcd } from '@locks/test-servers';
import { onTestFinished, test } from 'vitest';
import { createEtcdProvider } from '../../src/index.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 20);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

test.each([
  [seed, sequences],
  // A position under the lease of an earlier connection stayed when its provider was closed.
  [69_542, 1],
])(
  'the claims in etcd answer as the rules of a key do, from seed %i',
  { timeout: 120_000 + sequences * 1_000 },
  async (first, count) => {
    const server = await startEtcd();
    onTestFinished(() => server.stop());
    const report = await differentialTest({
      name: 'etcd',
      create() {
        const { create, faults } = proxiedProviders({
          target: server,
          make: (proxy) => createEtcdProvider({ url: proxy.url(server.url), waiterTtl: 60_000, timeout: 20_000 }),
        });
        // A stream of HTTP/2 cannot be repeated.
        return { create, faults: { ...faults, duplicate: undefined, restart: () => server.restart() } };
      },
      // etcd rounds a ttl up to seconds, so what a ttl ends is left to the suite.
      lasting: true,
      closeEnds: 'places',
      exemptions: exemptionsOf('etcd'),
      sequences: count,
      seed: first,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.5,
    });
    console.log(JSON.stringify(report));
  },
);
