import type { Claim, Renewal } from '../../contract.ts';
import { isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, lostError, unconfirmedHandOver } from '../../errors/messages.ts';
import { untilRenewal } from '../../time/backoff.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { LockCalls } from '../lock-calls.ts';
import { isRenewal } from './answers.ts';
import { mustHandOver, readHandOver, ticketOf, turnKey } from './hand-over.ts';
import type { HandOver } from './hand-over.ts';
import { HeldLease } from './held-lease.ts';
import type { LeaseHost } from './lease-host.ts';
import { PublicLease } from './public-lease.ts';
import { deadlineOf } from './validity.ts';

/** A renewal, and when it was sent. */
interface Confirmed {
  readonly sentAt: number;
  readonly renewal: Renewal;
}

/**
 * Goes on with the lease that `text` hands over: the same owner and the same token. `closed`: why
 * its `Locks` is closed, if it is.
 */
export async function resume(
  host: LeaseHost,
  locks: LockCalls,
  text: string,
  closed: () => LockError | undefined,
): Promise<PublicLease> {
  const handed = readHandOver(text);
  const { claim, token, renew, left } = handed;
  mustHandOver(host.provider, claim.key);
  await inTurn(locks, claim, () => takeAway(host, handed));
  const { sentAt, renewal } = await confirm(host, claim);
  const now = host.runtime.clock.exact();
  const holdUntil = left === undefined ? undefined : now + left;
  const deadline = deadlineOf(sentAt, renewal.validity ?? claim.ttl, holdUntil);
  const reason = closed() ?? (now < deadline ? undefined : lostError(claim, 'its renewal was answered too late'));
  if (reason !== undefined) {
    host.releases.start({ claim, uncertain: false, lastSend: sentAt });
    throw reason;
  }
  const terms = { claim, grant: { granted: true, token }, sentAt, now, deadline, renew, holdUntil } as const;
  if (channels.acquire.hasSubscribers) {
    channels.acquire.publish({ ...about(host.provider.name, claim), token, waited: 0, attempts: 1 });
  }
  return new PublicLease(new HeldLease(host, terms));
}

/**
 * Runs `work` while no other process tries to resume the lease. Of releases at once none may free
 * the hold of a composite, where each frees it at another member.
 */
async function inTurn(locks: LockCalls, claim: Claim, work: () => Promise<void>): Promise<void> {
  const { ttl } = claim;
  const key = turnKey(claim);
  const turn = await locks.tryAcquire(key, { ttl, wait: ttl, maxHold: Infinity, renew: true, reentrant: false });
  if (turn === null) throw lostError(claim, 'other processes tried to resume it for a whole ttl');
  try {
    await work();
  } finally {
    void turn[Symbol.asyncDispose]();
  }
}

/** Takes the ticket away. Throws where another process did, or where its end is unknown. */
async function takeAway({ provider }: LeaseHost, { claim, ticket }: HandOver): Promise<void> {
  let freed: boolean;
  try {
    freed = await provider.release(ticketOf(claim, ticket));
  } catch (error) {
    throw isPermanent(error) ? error : unconfirmedHandOver(provider, claim, error);
  }
  if (!freed) throw lostError(claim, 'it was resumed already, or was not resumed within its ttl');
}

/**
 * The first renewal. As no other process can resume the lease now, it is sent again while the hold
 * may last.
 */
async function confirm({ provider, runtime, releases }: LeaseHost, claim: Claim): Promise<Confirmed> {
  const end = runtime.clock.now() + claim.ttl;
  for (let failures = 1; ; failures += 1) {
    const sentAt = runtime.clock.exact();
    let cause: unknown;
    try {
      const renewal = await provider.renew(claim);
      if (renewal === false) throw lostError(claim, `${provider.name} says that this owner does not hold it any more`);
      if (isRenewal(renewal)) return { sentAt, renewal };
      cause = badAnswerError(provider, claim);
    } catch (error) {
      cause = error;
    }
    const over = isLost(cause) || isPermanent(cause);
    if (over || runtime.clock.now() >= end) {
      releases.start({ claim, uncertain: false, lastSend: sentAt });
      throw over ? cause : unconfirmedHandOver(provider, claim, cause);
    }
    await new Promise<void>((resolve) => runtime.setTimer(resolve, untilRenewal(runtime, failures, claim.ttl), true));
  }
}

function isLost(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'LOCK_LOST';
}
