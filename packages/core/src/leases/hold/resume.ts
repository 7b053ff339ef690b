import type { Claim, KeyState, Renewal } from '../../contract.ts';
import { isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, lostError, unconfirmedTransfer } from '../../errors/messages.ts';
import { untilRenewal } from '../../time/backoff.ts';
import { pause } from '../../time/pause.ts';
import type { Lease } from '../../lease.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import { isRenewal } from '../../options/answers.ts';
import { restUntil, storedClaim } from '../release/rest.ts';
import type { Rest } from '../release/rest.ts';
import { mustTransfer, noTransfer, readTransfer, ticketOf, turnKey } from './transfer.ts';
import type { Transfer } from './transfer.ts';
import type { LeaseHost } from './lease-host.ts';
import { deadlineOf, keepingOf } from './lease-state.ts';
import { newLease } from './public-lease.ts';
import type { PublicLease } from './public-lease.ts';

/** Takes the turn to resume a lease: the client itself. */
interface Turns {
  tryAcquire(key: string, options: AcquireOptions): Promise<Lease | null>;
}

interface Confirmed {
  readonly sentAt: number;
  readonly renewal: Renewal;
}

/**
 * Continues the lease of `text`: the same owner and token. `closed`: why its client is closed, if
 * it is.
 */
export async function resume(
  host: LeaseHost,
  locks: Turns,
  text: string,
  closed: () => LockError | undefined,
): Promise<PublicLease> {
  const handed = readTransfer(text);
  const { claim, token, renew, left } = handed;
  mustTransfer(host.provider, claim.key);
  await checkToken(host.provider, handed);
  await inTurn(locks, claim, async (turn) => {
    await takeAway(host, handed);
    if (turn.held) return;
    throw closed() ?? unconfirmedTransfer(host.provider, claim, new Error('other processes could try meanwhile'));
  });
  const kept = { lockDelay: 0, atLeast: 0, ...handed.rest, ttl: claim.ttl, renew, maxHold: left ?? Infinity };
  const keeping = keepingOf(kept, host.runtime.clock.now());
  const { sentAt, renewal } = await confirm(host, claim, keeping.rest);
  const now = host.runtime.clock.exact();
  const deadline = deadlineOf(claim, keeping, sentAt, renewal);
  const reason = closed() ?? (now < deadline ? undefined : lostError(claim, 'its renewal was answered too late'));
  if (reason !== undefined) {
    giveUp(host, claim, keeping.rest, sentAt);
    throw reason;
  }
  return newLease(host, { claim, token, session: undefined, sentAt, now, deadline, keeping }, 0, 1);
}

/**
 * Throws where the store has another token of the lease than the text, whose holder guards would
 * believe. The state of a composite is that of its members, which may know of less.
 */
async function checkToken(provider: LeaseHost['provider'], { claim, token }: Transfer): Promise<void> {
  let state: KeyState;
  try {
    state = await provider.inspect(claim.key);
  } catch (error) {
    throw isPermanent(error) ? error : unconfirmedTransfer(provider, claim, error);
  }
  const held = state.holders.find(({ owner }) => owner === claim.owner);
  if (state.members === undefined && held?.token !== undefined && held.token !== token) throw noTransfer();
}

/**
 * Runs `work` while no other process tries to resume the lease. With simultaneous releases none may
 * free the hold of a composite, as each frees it at another member.
 */
async function inTurn(locks: Turns, claim: Claim, work: (turn: Lease) => Promise<void>): Promise<void> {
  const { ttl } = claim;
  const key = turnKey(claim);
  const turn = await locks.tryAcquire(key, { ttl, wait: ttl, maxHold: Infinity, renew: true, reentrant: false });
  if (turn === null) throw lostError(claim, 'other processes tried to resume it for a whole ttl');
  try {
    await work(turn);
  } finally {
    void turn[Symbol.asyncDispose]();
  }
}

/**
 * Removes the ticket. Throws if another process did, or if the outcome is unknown. A late copy of
 * the giver's claim may be granted the ticket again, with a higher token, which the renewal
 * refuses.
 */
async function takeAway({ provider }: LeaseHost, handed: Transfer): Promise<void> {
  const { claim, ticketToken } = handed;
  const ticket = ticketOf(claim, handed.ticket);
  const fenced = provider.traits.fencing !== 'none';
  let taken: boolean;
  try {
    // An inspection may miss a hold that a slow member of a quorum has. A renewal is certain.
    const renewal = await provider.renew(ticket, fenced ? ticketToken : undefined);
    if (!isRenewal(renewal)) throw badAnswerError(provider, ticket);
    taken = renewal !== false && (await provider.release(ticket));
  } catch (error) {
    throw isPermanent(error) ? error : unconfirmedTransfer(provider, claim, error);
  }
  if (!taken) throw lostError(claim, 'it was resumed already, or was not resumed within its ttl');
}

/**
 * The first renewal. As no other process can resume the lease now, it is retried while the hold may
 * last.
 */
async function confirm(host: LeaseHost, claim: Claim, rest: Rest | undefined): Promise<Confirmed> {
  const { provider, runtime } = host;
  const end = runtime.clock.now() + claim.ttl;
  for (let failures = 1; ; failures += 1) {
    const sentAt = runtime.clock.exact();
    let cause: unknown;
    try {
      const renewal = await provider.renew(storedClaim(claim, rest, sentAt));
      if (renewal === false) throw lostError(claim, `${provider.name} reports that this owner no longer holds it`);
      if (isRenewal(renewal)) return { sentAt, renewal };
      cause = badAnswerError(provider, claim);
    } catch (error) {
      cause = error;
    }
    const over = isLost(cause) || isPermanent(cause);
    if (over || runtime.clock.now() >= end) {
      giveUp(host, claim, rest, sentAt);
      throw over ? cause : unconfirmedTransfer(provider, claim, cause);
    }
    await pause(runtime, untilRenewal(runtime, failures, claim.ttl));
  }
}

/** The lease ends before it began here. */
function giveUp({ releases, runtime }: LeaseHost, claim: Claim, rest: Rest | undefined, lastSend: number): void {
  const stored = storedClaim(claim, rest, lastSend);
  const until = restUntil(rest, runtime.clock.now(), false);
  releases.start({ claim: stored, uncertain: false, lastSend, restUntil: until });
}

function isLost(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'LOCK_LOST';
}
