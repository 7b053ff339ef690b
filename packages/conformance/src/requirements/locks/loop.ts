import assert from 'node:assert/strict';
import type { Context } from '../../context/context.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { now, standstill } from '../../checks/time.ts';
import { whenTtlExpires } from '../when.ts';
import { acquireInTime, untilConclusive } from './leasing.ts';

/** A process that does nothing but lock. */
export const loopRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'lease', when: whenTtlExpires })(
  {
    'locks-loop': {
      title: 'a loop of awaited acquires and releases lets another lease of its process be renewed',
      async check(context) {
        await untilConclusive(() => isRenewedMeanwhile(context));
      },
    },
  },
);

/** Whether it was renewed, rather than not for good reasons. */
async function isRenewedMeanwhile(context: Context): Promise<boolean> {
  const { ttl } = context;
  const { locks, interference } = await context.interfere();
  const lease = await acquireInTime(context, locks, context.key(), { ttl });
  const stood = standstill();
  let renewals = 0;
  interference.rule('renew', () => {
    renewals += 1;
    return undefined;
  });
  const key = context.key();
  let rounds = 0;
  for (const stop = now() + ttl; renewals === 0 && now() < stop; stood()) {
    const other = await acquireInTime(context, locks, key, { ttl: context.longTtl });
    await other.release();
    rounds += 1;
  }
  assert.ok(
    renewals > 0 || stood() >= ttl / 4,
    `expected a lease with a ttl of ${ttl} ms to be renewed while its process acquired and released another key; in ${rounds} rounds it was not`,
  );
  await lease.release();
  return renewals > 0;
}
