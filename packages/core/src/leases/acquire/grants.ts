import type { Claim, Grant } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { lateGrantError, shortGrantError } from '../../errors/messages.ts';
import { builtInSettings } from '../../options/acquire-options.ts';
import type { Settings } from '../../options/acquire-options.ts';
import type { Terms } from '../hold/held-lease.ts';
import { deadlineOf, keepingOf } from '../hold/lease-state.ts';
import type { AcquisitionHost } from './acquisition-host.ts';

/**
 * The terms of the lease of `grant`, whose attempt was sent at `sentAt`. `undefined`: the grant is
 * older than its validity, and must be released.
 */
export function termsOf(
  settings: Settings,
  asked: Claim,
  grant: Grant,
  sentAt: number,
  now: number,
): Terms | undefined {
  const keeping = keepingOf(settings, now);
  const deadline = deadlineOf(asked, keeping, sentAt, grant);
  if (now >= deadline) return undefined;
  const claim = keeping.rest === undefined ? asked : { ...asked, ttl: settings.ttl };
  return { claim, token: grant.token, session: grant.lost, sentAt, now, deadline, keeping };
}

/** Why a grant was released. */
export function tooLateError(
  { provider, runtime }: AcquisitionHost,
  { lockDelay }: Settings,
  claim: Claim,
  { validity, hold = validity }: Grant,
  sentAt: number,
): LockError {
  return lockDelay > 0 && hold !== undefined && hold <= lockDelay
    ? shortGrantError(provider, claim, hold, lockDelay)
    : lateGrantError(provider, claim, runtime.clock.now() - sentAt);
}

/**
 * Whether too little is left of `grant`, which the store made earlier. A repeat by the holder
 * restarts its ttl.
 */
export function isTooShort(
  { provider: { traits } }: AcquisitionHost,
  { renew, atLeast, lockDelay }: Settings,
  { ttl }: Claim,
  { validity, hold = validity }: Grant,
): boolean {
  if (hold === undefined || hold >= Math.max(ttl / 2, atLeast) || traits.expiry === 'session') return false;
  // A caller with an unusually long ttl may be busy right after the grant.
  return !renew || atLeast > 0 || lockDelay > 0 || ttl > builtInSettings.ttl;
}
