import assert from 'node:assert/strict';
import type { Context } from '../../context/context.ts';
import { show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { now, sleepUntil, standstill } from '../../checks/time.ts';
import { mustTellTheTruth, slowestCall } from '../../checks/truth.ts';
import { whenTtlExpires } from '../when.ts';
import { acquireInTime, untilConclusive } from './leasing.ts';

/** Short ttls, for which timers are coarse and machines are slow. */
export const shortTtlRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'renewal',
  when: whenTtlExpires,
})({
  'locks-short-ttl': {
    title: 'a lease with a short ttl is kept for many ttls by few renewals, and never says more than is certain',
    async check(context) {
      const ttls = [context.ttl / 8, context.ttl / 4, context.ttl / 2].map((ttl) => Math.max(50, Math.round(ttl)));
      await Promise.all(ttls.map((ttl) => untilConclusive(() => isKept(context, ttl))));
    },
  },
});

/** Whether it was kept, rather than lost for good reasons. */
async function isKept(context: Context, ttl: number): Promise<boolean> {
  const { locks, interference } = await context.interfere();
  const lease = await acquireInTime(context, locks, context.key(), { ttl });
  // The process may have stood still after the grant, too.
  const stood = standstill(interference.of('tryAcquire', lease.owner).at(-1)?.sentAt);
  const start = now();
  for (stood(); now() < start + 2 * context.ttl && !lease.signal.aborted; stood()) {
    mustTellTheTruth(lease, interference, `in a lease with a ttl of ${ttl} ms`);
    await sleepUntil(now() + ttl / 20);
  }
  const calls = interference.of('renew', lease.owner);
  const ttls = (now() - start) / ttl;
  const limit = Math.ceil(5 * ttls) + 2;
  assert.ok(
    calls.length <= limit,
    `expected at most ${limit} renewals in ${ttls.toFixed(1)} ttls of ${ttl} ms, ${calls.length} were sent`,
  );
  const { held } = lease;
  if (!held) {
    // Two thirds of the ttl lie between the moment of a renewal and the end: half of them went to a
    // slow call or a slow process.
    const stall = Math.max(stood(), slowestCall(interference, lease.owner));
    const why = `expected a lease with a ttl of ${ttl} ms to be kept; it was lost though nothing took longer than ${Math.round(stall)} ms: ${show(lease.signal.reason)}`;
    assert.ok(stall >= ttl / 4, why);
  }
  await lease.release();
  return held;
}
