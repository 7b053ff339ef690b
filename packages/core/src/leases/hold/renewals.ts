import type { Claim, Renewal } from '../../contract.ts';
import { isFinal, isLockError, isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, unconfirmedRenewal } from '../../errors/messages.ts';
import { sharingRefused } from '../../errors/refusals.ts';
import { isAnswer, isRenewal } from '../../options/answers.ts';
import { untilRenewal } from '../../time/backoff.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { LossCode } from '../diagnostics/messages.ts';
import type { LeaseHost } from './lease-host.ts';
import type { LeaseState, Renewing } from './lease-state.ts';

export interface RenewedLease extends LeaseState {
  readonly host: LeaseHost;
  readonly remaining: number;
  /** Why it is not held, at `now`. The first check after its deadline ends it. */
  ended(now?: number): LockError | undefined;
  /** A call for it is sent at `now`. Returns its claim as sent to the store. */
  sending(now: number): Claim;
  /** The call that was sent at `sentAt` renewed it. */
  renewed(sentAt: number, answer: Renewal, now: number): void;
  plan(renewAt: number, now: number): void;
  lose(code: LossCode, why: string): void;
}

/** Renews `lease` for a caller. Rejects if it is not renewed. */
export async function renew(lease: RenewedLease): Promise<void> {
  const now = lease.host.runtime.clock.exact();
  const failure = lease.ended(now) ?? (await startRenewal(lease, now));
  if (failure !== undefined) throw failure;
}

/**
 * Renews `lease`, held at `now`, unless a renewal is in progress. Resolves to why it is not
 * renewed. It never rejects: often no caller awaits it.
 */
export function startRenewal(lease: RenewedLease, now: number): Promise<LockError | undefined> {
  const renewing = renewingOf(lease);
  renewing.inFlight ??= send(lease, renewing, now);
  return renewing.inFlight;
}

/** Resolves when the provider shares the hold, which also renews it. */
export async function downgrade(lease: RenewedLease): Promise<void> {
  const { provider, runtime } = lease.host;
  mustBeHeld(lease);
  if (!provider.traits.shared) throw sharingRefused(provider, lease.claim);
  const renewing = renewingOf(lease);
  if (lease.claim.mode === 'exclusive') {
    // From now on, as the answer may get lost.
    lease.claim = { ...lease.claim, mode: 'shared' };
    renewing.unshared = true;
  }
  while (renewing.unshared) {
    // Calls of one owner never overlap: the renewal in progress does not ask for it.
    const earlier = renewing.inFlight;
    const failure = await (earlier ?? startRenewal(lease, runtime.clock.exact()));
    const reason = (earlier === undefined ? failure : undefined) ?? lease.ended();
    if (reason !== undefined) throw reason;
  }
}

/** Throws why `lease` is not held, if it is not. */
export function mustBeHeld(lease: RenewedLease): void {
  const ended = lease.ended();
  if (ended !== undefined) throw ended;
}

function renewingOf(lease: RenewedLease): Renewing {
  return (lease.renewing ??= { inFlight: undefined, failures: 0, failure: undefined, unshared: false });
}

const soon = Promise.resolve();

async function send(lease: RenewedLease, renewing: Renewing, sentAt: number): Promise<LockError | undefined> {
  const { provider } = lease.host;
  const claim = lease.sending(sentAt);
  let failure: LockError | undefined;
  try {
    const answer = await (renewing.unshared ? askToShare(lease, renewing, claim) : provider.renew(claim));
    if (!isRenewal(answer)) throw badAnswerError(provider, claim);
    failure = answered(lease, renewing, answer, sentAt);
  } catch (error) {
    failure = rejected(lease, renewing, error, sentAt);
    // A provider may have thrown synchronously: then this renewal is in progress from here.
    await soon;
  }
  renewing.inFlight = undefined;
  return failure;
}

function answered(
  lease: RenewedLease,
  renewing: Renewing,
  answer: Renewal | false,
  sentAt: number,
): LockError | undefined {
  const { provider, runtime } = lease.host;
  if (channels.renew.hasSubscribers) tell(lease, sentAt, { renewed: answer !== false });
  if (answer === false) lease.lose('not-held', `${provider.name} reports that this owner no longer holds it`);
  const now = runtime.clock.exact();
  const reason = lease.ended(now);
  if (reason !== undefined || answer === false) return reason;
  renewing.failures = 0;
  renewing.failure = undefined;
  lease.renewed(sentAt, answer, now);
  // A validity that has passed already ends it.
  return lease.ended(now);
}

/** A rejection proves nothing: the lease is renewed again while its validity lasts. */
function rejected(lease: RenewedLease, renewing: Renewing, error: unknown, sentAt: number): LockError {
  const { provider, runtime } = lease.host;
  const refused = renewing.unshared && isLockError(error, 'LOCK_INVALID');
  if (refused) {
    // The hold stays as it was.
    lease.claim = { ...lease.claim, mode: 'exclusive' };
    renewing.unshared = false;
  } else if (channels.renew.hasSubscribers) {
    tell(lease, sentAt, { renewed: false, error });
  }
  const now = runtime.clock.exact();
  const reason = lease.ended(now);
  if (reason !== undefined) return reason;
  if (refused) {
    lease.plan(now, now);
    return error;
  }
  renewing.failures += 1;
  renewing.failure = isPermanent(error) ? error : unconfirmedRenewal(provider, lease.claim, error);
  lease.plan(isFinal(error) ? Infinity : now + untilRenewal(runtime, renewing.failures, lease.claim.ttl), now);
  return renewing.failure;
}

async function askToShare(lease: RenewedLease, renewing: Renewing, claim: Claim): Promise<Renewal | false> {
  const { provider } = lease.host;
  const answer = await provider.tryAcquire(claim);
  if (!isAnswer(answer)) throw badAnswerError(provider, claim);
  // Another token is another hold: this one had ended at the store.
  if (!answer.granted || (answer.token !== lease.token && provider.traits.fencing !== 'none')) return false;
  renewing.unshared = false;
  return answer;
}

function tell(
  { host: { provider, runtime }, claim, remaining }: RenewedLease,
  sentAt: number,
  outcome: { readonly renewed: boolean; readonly error?: unknown },
): void {
  const took = runtime.clock.exact() - sentAt;
  channels.renew.publish({ ...about(provider.name, claim), took, remaining, ...outcome });
}
