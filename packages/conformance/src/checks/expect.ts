import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { isLockError } from '@locks/core';
import type {
  Busy,
  Claim,
  Grant,
  KeyState,
  Lease,
  LockError,
  LockErrorCode,
  LockProvider,
  Locks,
  Renewal,
} from '@locks/core';
import { now, sleep } from './time.ts';

/** A value for failure messages. */
export function show(value: unknown): string {
  return inspect(value, { depth: 5, breakLength: Infinity });
}

/**
 * How long a composite may be busy temporarily, in ms. A late member is asked again within 1 s.
 * With more, votes left until their ttl could pass.
 */
const longestPassing = 2_000;

const methods = ['tryAcquire', 'renew', 'release', 'inspect', 'close'] as const;

/** Fails unless `made`, which `hook` returned, is a provider. */
export function mustBeProvider(made: LockProvider | undefined | null, hook: string): void {
  for (const method of methods) {
    const message = `expected ${hook}() to give a provider with ${method}(), got ${show(made)}`;
    assert.equal(typeof made?.[method], 'function', message);
  }
  assert.ok(typeof made?.traits === 'object', `expected ${hook}() to give a provider with traits, got ${show(made)}`);
}

/**
 * Fails unless `answer` is a well-formed grant or busy. `when` ends the sentence "expected … when".
 */
export function expectAnswer(answer: Grant | Busy, when: string): void {
  const wellFormed = typeof answer === 'object' && answer !== null && typeof answer.granted === 'boolean';
  assert.ok(wellFormed, `expected { granted: true | false } ${when}, got ${show(answer)}`);
  if (answer.granted) {
    assert.equal(typeof answer.token, 'bigint', `expected a bigint as token ${when}, got ${show(answer)}`);
    expectDuration(answer.validity, 'validity', when);
  } else {
    expectDuration(answer.retryAfter, 'retryAfter', when);
  }
}

function expectDuration(duration: number | undefined, name: string, when: string): void {
  const sound = duration === undefined || (Number.isFinite(duration) && duration >= 0);
  assert.ok(sound, `expected ${name} to be absent or a finite number of ms ${when}, got ${show(duration)}`);
}

/**
 * One attempt that must be granted. A composite without a holder may be busy temporarily, while a
 * member has not yet released an earlier claim: it is asked again.
 */
export async function mustGrant(provider: LockProvider, claim: Claim, when: string, wake?: () => void): Promise<Grant> {
  const until = now() + longestPassing;
  let answer = await provider.tryAcquire(claim, wake);
  expectAnswer(answer, when);
  while (!answer.granted && now() < until && isPassing(await provider.inspect(claim.key))) {
    await sleep(20);
    answer = await provider.tryAcquire(claim, wake);
    expectAnswer(answer, when);
  }
  assert.ok(answer.granted, `expected a grant ${when}, got ${show(answer)}`);
  return answer;
}

/** Whether a claim may be busy only because members of a composite temporarily keep something. */
function isPassing({ members, holders }: KeyState): boolean {
  return members !== undefined && holders.length === 0;
}

/**
 * An attempt through `locks` that must return a lease. A composite may be busy temporarily, as for
 * `mustGrant`.
 */
export async function mustTake(locks: Locks, key: string, when: string): Promise<Lease> {
  const until = now() + longestPassing;
  let lease = await locks.tryAcquire(key);
  while (lease === null && now() < until && isPassing(await locks.inspect(key))) {
    await sleep(20);
    lease = await locks.tryAcquire(key);
  }
  assert.ok(lease !== null, `expected tryAcquire to resolve to a lease ${when}`);
  return lease;
}

export async function mustBeBusy(provider: LockProvider, claim: Claim, when: string, wake?: () => void): Promise<Busy> {
  const answer = await provider.tryAcquire(claim, wake);
  expectAnswer(answer, when);
  assert.ok(!answer.granted, `expected busy ${when}, got ${show(answer)}`);
  return answer;
}

export async function mustFree(provider: LockProvider, claim: Claim, when: string): Promise<void> {
  const freed = await provider.release(claim);
  assert.equal(freed, true, `expected release to return true (it freed a hold) ${when}, got ${show(freed)}`);
}

export async function mustFreeNothing(provider: LockProvider, claim: Claim, when: string): Promise<void> {
  const freed = await provider.release(claim);
  assert.equal(freed, false, `expected release to return false (nothing to free) ${when}, got ${show(freed)}`);
}

export async function mustRenew(provider: LockProvider, claim: Claim, when: string, token?: bigint): Promise<Renewal> {
  const renewal = await provider.renew(claim, token);
  const renewed = typeof renewal === 'object' && renewal !== null;
  assert.ok(renewed, `expected renew to answer a renewal ${when}, got ${show(renewal)}`);
  expectDuration(renewal.validity, 'validity', when);
  return renewal;
}

/** A renewal that must return false. */
export async function mustNotRenew(provider: LockProvider, claim: Claim, when: string, token?: bigint): Promise<void> {
  const renewal = await provider.renew(claim, token);
  assert.equal(renewal, false, `expected renew to return false ${when}, got ${show(renewal)}`);
}

/** The error with `code` that `call` must reject with. */
export async function mustReject(call: Promise<unknown>, code: LockErrorCode, when: string): Promise<LockError> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ('answer' in outcome)
    assert.fail(`expected a rejection with ${code} ${when}, got the answer ${show(outcome.answer)}`);
  const { error } = outcome;
  assert.ok(isLockError(error, code), `expected a rejection with ${code} ${when}, got ${show(error)}`);
  return error;
}

export function mustExceed(later: bigint, earlier: bigint, when: string): void {
  assert.ok(later > earlier, `expected a token above ${earlier} ${when}, got ${later}`);
}

/** Whether the key of `state` has no holder and no waiter. */
export function isIdle(state: KeyState): boolean {
  return state.holders.length === 0 && state.waiters === 0;
}

/** All that `list` yields, if present. */
export async function drain(provider: LockProvider, prefix: string): Promise<void> {
  for await (const _ of provider.list?.(prefix) ?? []);
}
