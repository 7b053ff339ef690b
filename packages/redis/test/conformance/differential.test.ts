import { differentialTest } from '@locks/conformance';
import { expect, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { connect, ownPrefix } from '../support/redis.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 80);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

test(
  'the scripts answer as the rules of a key do',
  async () => {
    const prefix = ownPrefix();
    const report = await differentialTest({
      name: 'redis',
      create: ({ waiterTtl }) => createRedisProvider(connect(), { prefix, waiterTtl }),
      // ADR 8: a waiter that may miss the message finds the hold at its next look.
      assigns: ({ mode, ttl }, { waiterTtl }) => mode === 'exclusive' && ttl >= waiterTtl / 2,
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.3,
    });
    console.log(JSON.stringify(report));
    expect(report.exempted).toEqual({});
  },
  60_000 + sequences * 500,
);
