import { channels, messageAbout } from '../diagnostics/channels.ts';
import { HeldLease } from './held-lease.ts';
import type { Terms } from './held-lease.ts';
import type { LeaseHost } from './lease-host.ts';
import { withJson } from './printed.ts';
import { PublicLease } from './public-lease.ts';

/** The lease with these terms. Diagnostics hear of it, and how many ms its call has waited. */
export function newLease(
  host: LeaseHost,
  terms: Terms,
  call: { readonly waited: number; readonly attempts: number },
): PublicLease {
  if (channels.acquire.hasSubscribers) {
    const { claim, token, now, deadline } = terms;
    const times = { token, ttl: claim.ttl, remaining: deadline - now, ...call };
    channels.acquire.publish(withJson(messageAbout(host.provider.name, claim, times)));
  }
  return new PublicLease(new HeldLease(host, terms));
}
