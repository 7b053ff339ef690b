import type { Claim, LockProvider, Mode } from '../contract.ts';
import { LockError, isLockError } from './lock-error.ts';

type Wish = Pick<Claim, 'key' | 'mode' | 'permits'>;

/** The most holders named in a message. */
const mostNamed = 3;

/** The lock was not free within `wait`. `holders`: the labels of its holders then. */
export function timeoutError(key: string, wait: number, holders: readonly string[], queueLimit?: number): LockError {
  const after = wait === 0 ? 'immediately' : `within ${wait} ms`;
  const more = holders.length > mostNamed ? ` and ${holders.length - mostNamed} more` : '';
  const named = holders.slice(0, mostNamed).map(printedLabel).join(', ');
  const why = holders.length === 0 ? 'others hold it or are queued for it' : `it is held by ${named}${more}`;
  const full = queueLimit === undefined ? '' : ` Its queue was full: it takes ${queueLimit} claims.`;
  const message = `${quote(key)} was not free ${after}: ${why}.${full} Raise option "wait", or use tryAcquire.`;
  return new LockError('LOCK_TIMEOUT', message, { key, wait, holders });
}

/** Only rejections, or no answer at all. */
export function unavailableError({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message =
    cause === undefined
      ? `${name} did not answer the request for ${quote(key)} in time, so its state is unknown.`
      : `${name} could not answer the request for ${quote(key)}, so its state is unknown; see the cause.`;
  if (cause === undefined) return new LockError('LOCK_UNAVAILABLE', message, { key });
  const retryAfter = isLockError(cause) ? cause.retryAfter : undefined;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause, retryAfter });
}

export function overloadedError({ key }: Claim, maxWaiters: number): LockError {
  const claims = maxWaiters === 1 ? '1 claim waits' : `${maxWaiters} claims wait`;
  const message = `${claims} already, the limit of option "maxWaiters". Try again later, or raise it.`;
  return new LockError('LOCK_OVERLOADED', message, { key });
}

/** The caller's asynchronous context holds the key, in the mode `own`. */
export function deadlockError(claim: Wish, own: Mode): LockError {
  const message = `${quote(claim.key)} is held by the asynchronous context that would wait for it forever. ${insteadOfWaiting(claim, own)}`;
  return new LockError('LOCK_DEADLOCK', message, { key: claim.key });
}

/** `deadlockError` after a wait with a limit. */
export function ownTimeoutError(claim: Claim, wait: number, own: Mode): LockError {
  const message = `${quote(claim.key)} was not free: it is held by the asynchronous context of this call. ${insteadOfWaiting(claim, own)}`;
  return new LockError('LOCK_TIMEOUT', message, { key: claim.key, wait });
}

function insteadOfWaiting({ mode, permits }: Wish, own: Mode): string {
  if (mode === 'exclusive' && own === 'shared') return 'Release the shared lease first.';
  const way = permits === undefined ? 'Set "reentrant" in both calls' : 'Take all permits in one call';
  return `${way}, or set "waitForSelf" if the outer work does not await this call.`;
}

/** A grant that had expired when it arrived. */
export function lateGrantError({ name }: LockProvider, { key, ttl }: Claim, age: number): LockError {
  const message = `${name} granted ${quote(key)} after ${Math.round(age)} ms, longer than its ttl of ${ttl} ms. Raise option "ttl", or check the store.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

/** A grant shorter than `lockDelay`. */
export function shortGrantError(
  { name }: LockProvider,
  { key }: Claim,
  validity: number,
  lockDelay: number,
): LockError {
  const message = `${name} granted ${quote(key)} for ${Math.round(validity)} ms, less than option "lockDelay" (${lockDelay} ms). Lower it.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

export function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The client is closed. Create another one.');
}

/** A call of a provider after its `close`. */
export function providerClosed(name: string): LockError {
  return new LockError('LOCK_CLOSED', `The ${name} provider is closed.`);
}

/** A provider that violates the contract. */
export function badAnswerError({ name }: LockProvider, { key }: Claim): LockError {
  const message = `${name} returned an answer for ${quote(key)} that violates the provider contract. This is a bug of its adapter.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

/** Why a lease ended against its holder's will. `cause`: the provider's error. */
export function lostError({ key }: Claim, why: string, cause?: unknown): LockError {
  const message = `The lease on ${quote(key)} is lost: ${why}.`;
  return new LockError('LOCK_LOST', message, cause === undefined ? { key } : { key, cause });
}

/** A released or transferred lease is used again. */
export function releasedError({ key }: Claim, how: 'released' | 'transferred'): LockError {
  const message = `The lease on ${quote(key)} was ${how} and cannot be renewed; acquire the key again.`;
  return new LockError('LOCK_INVALID', message, { key });
}

export function unconfirmedRenewal({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message = `The renewal of the lease on ${quote(key)} was not confirmed by ${name}. It is held while "held" is true.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
}

/** A transfer of which one half is unknown. */
export function unconfirmedTransfer({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message = `The lease on ${quote(key)} could not be transferred: ${name} did not confirm it; see the cause.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
}

export function unconfirmedRelease({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message = `The lease on ${quote(key)} could not be released: ${name} did not confirm it. It is retried in the background until its ttl ends.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
}

/** A label for a message. Labels of other libraries may be any text. */
function printedLabel(label: string): string {
  const plain = /^[!-~]{1,100}$/.test(label);
  return plain ? label : quote(label.length > 60 ? `${label.slice(0, 60)}…` : label);
}

function quote(key: string): string {
  return JSON.stringify(key);
}
