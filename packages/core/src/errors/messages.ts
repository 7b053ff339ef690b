import type { Claim, LockProvider, Mode } from '../contract.ts';
import { LockError, isLockError } from './lock-error.ts';

type Wish = Pick<Claim, 'key' | 'mode' | 'permits'>;

/** A message names no more holders than that. */
const mostNamed = 3;

/** The lock was not free within `wait`. `holders`: the labels of those who held it then. */
export function timeoutError(key: string, wait: number, holders: readonly string[]): LockError {
  const after = wait === 0 ? 'now' : `within ${wait} ms`;
  const more = holders.length > mostNamed ? ` and ${holders.length - mostNamed} more` : '';
  const named = holders.slice(0, mostNamed).map(printedLabel).join(', ');
  const why = holders.length === 0 ? 'others hold it or are in the queue' : `it is held by ${named}${more}`;
  const message = `${quote(key)} was not free ${after}: ${why}. Raise option "wait", or use tryAcquire.`;
  return new LockError('LOCK_TIMEOUT', message, { key, wait, holders });
}

/** Nothing but rejections, or no answer at all. */
export function unavailableError({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message =
    cause === undefined
      ? `${name} did not answer about ${quote(key)} in time, so its holder is unknown.`
      : `${name} gave no usable answer about ${quote(key)}, so its holder is unknown; see the cause.`;
  if (cause === undefined) return new LockError('LOCK_UNAVAILABLE', message, { key });
  const retryAfter = isLockError(cause) ? cause.retryAfter : undefined;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause, retryAfter });
}

/** `maxWaiters` was reached. */
export function overloadedError({ key }: Claim, maxWaiters: number): LockError {
  const claims = maxWaiters === 1 ? '1 claim waits' : `${maxWaiters} claims wait`;
  const message = `${claims} already; option "maxWaiters" of this Locks allows no more.`;
  return new LockError('LOCK_OVERLOADED', message, { key });
}

/** The same asynchronous context holds what it waits for: in the mode `own`. */
export function deadlockError(claim: Wish, own: Mode): LockError {
  const message = `${quote(claim.key)} is held by the asynchronous context that would wait for it without limit. ${insteadOfWaiting(claim, own)}`;
  return new LockError('LOCK_DEADLOCK', message, { key: claim.key });
}

/** `deadlockError` of a wait with a limit, which is over. */
export function ownTimeoutError(claim: Claim, wait: number, own: Mode): LockError {
  const message = `${quote(claim.key)} was not free: it is held by the asynchronous context that waited for it. ${insteadOfWaiting(claim, own)}`;
  return new LockError('LOCK_TIMEOUT', message, { key: claim.key, wait });
}

function insteadOfWaiting({ mode, permits }: Wish, own: Mode): string {
  if (mode === 'exclusive' && own === 'shared') return 'Release the shared lease first.';
  const way = permits === undefined ? 'Set "reentrant" in both calls' : 'Take all permits in one call';
  return `${way}, or set "waitForSelf" if the outer work does not wait for this call.`;
}

/** A grant that was over when it arrived. */
export function lateGrantError({ name }: LockProvider, { key, ttl }: Claim, age: number): LockError {
  const message = `${name} answered after ${Math.round(age)} ms; a grant with a ttl of ${ttl} ms is over by then.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

/** A grant that does not last for `lockDelay`. */
export function shortGrantError(
  { name }: LockProvider,
  { key }: Claim,
  validity: number,
  lockDelay: number,
): LockError {
  const message = `${name} keeps ${quote(key)} for ${Math.round(validity)} ms at present, and option "lockDelay" alone is ${lockDelay} ms. Lower it.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

/** A call after `close`. */
export function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'This Locks is closed; open another one.');
}

/** A call of a provider after its `close`. */
export function providerClosed(name: string): LockError {
  return new LockError('LOCK_CLOSED', `The ${name} provider is closed.`);
}

/** A provider that does not keep the contract. */
export function badAnswerError({ name }: LockProvider, { key }: Claim): LockError {
  const message = `${name} gave an answer about ${quote(key)} that its contract does not allow; its adapter is at fault.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

/** Why a lease ended against its holder's will. `cause`: what its provider said. */
export function lostError({ key }: Claim, why: string, cause?: unknown): LockError {
  const message = `The lease on ${quote(key)} is lost: ${why}.`;
  return new LockError('LOCK_LOST', message, cause === undefined ? { key } : { key, cause });
}

/** A lease that was released or handed over is used again. */
export function releasedError({ key }: Claim, how: 'released' | 'handed over'): LockError {
  const message = `The lease on ${quote(key)} was ${how} and cannot be renewed; acquire the key again.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** A renewal whose effect is unknown. */
export function unconfirmedRenewal({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message = `The lease on ${quote(key)} could not be renewed: ${name} did not confirm it. It is held while "held" says so.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
}

/** A hand-over of which one half is unknown. */
export function unconfirmedTransfer({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message = `The lease on ${quote(key)} could not be handed over: ${name} did not confirm it; see the cause.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
}

/** A release whose effect is unknown. */
export function unconfirmedRelease({ name }: LockProvider, { key }: Claim, cause: unknown): LockError {
  const message = `The lease on ${quote(key)} could not be released: ${name} did not confirm it. It is tried again in the background until its ttl is over.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
}

/** A label for a message. Those of other libraries may be any text. */
function printedLabel(label: string): string {
  const plain = /^[!-~]{1,100}$/.test(label);
  return plain ? label : quote(label.length > 60 ? `${label.slice(0, 60)}…` : label);
}

function quote(key: string): string {
  return JSON.stringify(key);
}
