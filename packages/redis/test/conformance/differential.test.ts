import { differentialTest, exemptionsOf } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { onTestFinished, test } from 'vitest';
import { isScriptCall } from '../support/faults.ts';
import { over } from '../support/make.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 80);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

test(
  'the scripts answer as the rules of a key do',
  async () => {
    const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'no'] });
    onTestFinished(() => server.stop());
    const make = over((url) => new Redis(url));
    const report = await differentialTest({
      name: 'redis',
      create({ waiterTtl }) {
        const { create, faults } = proxiedProviders({
          target: server,
          make: (proxy) => make(proxy.url(server.url), { waiterTtl }),
          dropReply: (proxy) => void proxy.dropReply({ when: isScriptCall }),
        });
        return { create, faults: { ...faults, restart: () => server.restart() } };
      },
      // ADR 8: a waiter that may miss the message finds the hold at its next look.
      assigns: ({ mode, ttl }, { waiterTtl }) => mode === 'exclusive' && ttl >= waiterTtl / 2,
      exemptions: exemptionsOf('redis'),
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.5,
    });
    console.log(JSON.stringify(report));
  },
  60_000 + sequences * 500,
);
