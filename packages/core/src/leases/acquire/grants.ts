import type { Claim, Grant } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { lateGrantError, shortGrantError } from '../../errors/messages.ts';
import { builtInSettings } from '../../options/acquire-options.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { channels, messageAbout } from '../diagnostics/channels.ts';
import { HeldLease } from '../hold/held-lease.ts';
import type { Terms } from '../hold/terms.ts';
import { withJson } from '../hold/printed.ts';
import { PublicLease } from '../hold/public-lease.ts';
import { restOf, validityOf } from '../release/rest.ts';
import { deadlineOf } from '../hold/validity.ts';
import type { AcquisitionHost } from './acquisition-host.ts';

/**
 * The terms of the lease that `grant` gives, whose attempt was sent at `sentAt`. `undefined`: the
 * grant is older than its validity, and must be handed back.
 */
export function termsOf(
  { runtime }: AcquisitionHost,
  settings: Settings,
  asked: Claim,
  grant: Grant,
  sentAt: number,
): Terms | undefined {
  const now = runtime.clock.exact();
  const { ttl, maxHold, renew } = settings;
  const holdUntil = maxHold < Infinity ? Math.floor(now + maxHold) : undefined;
  const rest = restOf(settings, now);
  const deadline = deadlineOf(sentAt, validityOf(asked, rest, grant), holdUntil);
  if (now >= deadline) return undefined;
  const claim = rest === undefined ? asked : { ...asked, ttl };
  return { claim, grant, sentAt, now, deadline, renew, holdUntil, rest };
}

/** The lease with these terms, of a call that began at `startedAt`. Diagnostics hear of it. */
export function leaseOf(host: AcquisitionHost, terms: Terms, startedAt: number, attempts: number): PublicLease {
  if (channels.acquire.hasSubscribers) {
    const { claim, grant, now, deadline } = terms;
    const { ttl } = claim;
    const times = { token: grant.token, ttl, remaining: deadline - now, waited: now - startedAt, attempts };
    channels.acquire.publish(withJson(messageAbout(host.provider.name, claim, times)));
  }
  return new PublicLease(new HeldLease(host, terms));
}

/** Why a grant was handed back. */
export function tooLateError(
  { provider, runtime }: AcquisitionHost,
  { lockDelay }: Settings,
  claim: Claim,
  validity: number | undefined,
  sentAt: number,
): LockError {
  return lockDelay > 0 && validity !== undefined && validity <= lockDelay
    ? shortGrantError(provider, claim, validity, lockDelay)
    : lateGrantError(provider, claim, runtime.clock.now() - sentAt);
}

/**
 * Whether too little is left of `grant`, which the store made some time ago. A repeat by the holder
 * restarts its ttl.
 */
export function isTooShort(
  { provider: { traits } }: AcquisitionHost,
  { renew, atLeast, lockDelay }: Settings,
  { ttl }: Claim,
  { validity, hold = validity }: Grant,
): boolean {
  if (hold === undefined || hold >= Math.max(ttl / 2, atLeast) || traits.expiry === 'session') return false;
  // A caller that wants a longer ttl than usual may be busy right after the grant.
  return !renew || atLeast > 0 || lockDelay > 0 || ttl > builtInSettings.ttl;
}
