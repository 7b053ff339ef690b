import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Claim, KeyState, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustGrant, mustRenew, show } from '../../checks/expect.ts';
import { now, sleep, turn, within } from '../../checks/time.ts';
import type { Waiting } from '../../checks/waiting.ts';
import { pick, range } from '../steps.ts';

/**
 * The longest duration of a call: the default of a provider's `timeout`, and some for a loaded
 * machine.
 */
export function callLimit({ patience }: Context): number {
  return 5_000 + patience;
}

/** The result of a call. */
export type Outcome<T> = { readonly answer: T } | { readonly error: unknown };

/**
 * The result of `call`, within the limit of a call; a rejection must mean that its effect is
 * unknown.
 */
export async function settled<T>(context: Context, what: string, call: Promise<T>): Promise<Outcome<T>> {
  const outcome = await within(
    callLimit(context),
    call.then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    ),
    `${what} to settle`,
  );
  if ('error' in outcome) mustMeanUnknown(outcome.error, what);
  return outcome;
}

/**
 * `call` must reject within the limit of a call, with an error that means "unknown": it got no
 * answer.
 */
export async function mustBeUnknown(context: Context, what: string, call: Promise<unknown>): Promise<void> {
  const outcome = await settled(context, what, call);
  const seen = 'answer' in outcome ? show(outcome.answer) : '';
  assert.ok('error' in outcome, `expected ${what} to reject, because its effect is unknown; it was answered ${seen}`);
}

function mustMeanUnknown(error: unknown, what: string): void {
  const permanent = (['LOCK_INVALID', 'LOCK_MISCONFIGURED', 'LOCK_CLOSED'] as const).some((code) =>
    isLockError(error, code),
  );
  assert.ok(
    error instanceof Error && !permanent,
    `expected ${what} to be answered, or to reject with an error that means "unknown" and not "never"; got ${show(error)}`,
  );
}

/**
 * Repeats `call` until it is answered: rejections that mean "unknown" are tolerated, with the
 * patience of this check.
 */
export async function answered<T>(context: Context, what: string, call: () => Promise<T>): Promise<T> {
  const deadline = now() + context.patience;
  for (;;) {
    const outcome = await settled(context, what, call());
    if ('answer' in outcome) return outcome.answer;
    const seen = `the last of its rejections was ${show(outcome.error)}`;
    assert.ok(now() < deadline, `expected ${what} to be answered within ${Math.round(context.patience)} ms; ${seen}`);
    await sleep(20);
  }
}

/**
 * Waits for `claim` as core would, including rejections: an attempt with unknown effect is
 * repeated.
 */
export function waitOn(context: Context, provider: LockProvider, claim: Claim): Waiting {
  return context.wait(persistent(context, provider), claim);
}

/** The same, but trying again only when woken. */
export function waitForWakes(context: Context, provider: LockProvider, claim: Claim): Waiting {
  return context.waitForWakes(persistent(context, provider), claim);
}

const persistentOnes = new WeakSet<LockProvider>();

/** `provider`, whose calls are repeated until they are answered. */
export function persistent(context: Context, provider: LockProvider): LockProvider {
  if (persistentOnes.has(provider)) return provider;
  const name = (what: string, key: string): string => `${what} on ${key}`;
  const again: LockProvider = {
    name: provider.name,
    traits: provider.traits,
    tryAcquire: (claim, wake) =>
      answered(context, name('an attempt', claim.key), () => provider.tryAcquire(claim, wake)),
    renew: (claim, token) => answered(context, name('a renewal', claim.key), () => provider.renew(claim, token)),
    release: (claim) => answered(context, name('a release', claim.key), () => provider.release(claim)),
    inspect: (key) => answered(context, name('an inspection', key), () => provider.inspect(key)),
    close: () => provider.close(),
  };
  persistentOnes.add(again);
  return again;
}

/**
 * The providers of a check. Only calls to `harmed` itself may stay unanswered: all others are
 * repeated.
 */
export interface Sides {
  /** The one with the fault. */
  readonly harmed: LockProvider;
  /** The same one; its calls are repeated until they are answered. */
  readonly again: LockProvider;
  readonly other: LockProvider;
  readonly third: LockProvider;
}

/** Three providers on one store. */
export async function createSides(context: Context): Promise<Sides> {
  const [harmed, other, third] = await context.createMany(3);
  const again = persistent(context, harmed);
  return { harmed, again, other: persistent(context, other), third: persistent(context, third) };
}

/** Providers that have been used before: the next command is the one that a check sends. */
export async function createWarm(context: Context): Promise<Sides> {
  const sides = await createSides(context);
  await warmUp(context, sides.harmed, sides.third);
  return sides;
}

/** A provider without faults; its calls are repeated until they are answered. */
export async function createOther(context: Context): Promise<LockProvider> {
  return persistent(context, await context.create());
}

/**
 * Uses every call of `provider` once on a separate key, and waits until messages of the store
 * arrive: a claim is granted by a wake only. Side effects of a first use, such as a second
 * connection, happen then.
 */
export async function warmUp(context: Context, provider: LockProvider, other: LockProvider): Promise<void> {
  const holder = context.claim();
  const claim = context.claim(holder.key);
  const one = persistent(context, provider);
  await mustGrant(other, holder, 'on a free key');
  const waiting = context.traits.wake ? context.waitForWakes(one, claim) : context.wait(one, claim);
  await waiting.inQueue;
  await other.release(holder);
  await context.granted(
    waiting,
    context.traits.wake ? 'by a wake alone, once the connection is back' : 'once it is back',
  );
  await mustRenew(one, claim, 'by the holder');
  await one.release(claim);
  await one.inspect(claim.key);
}

/**
 * Each releases when it is granted, and no two may hold simultaneously. Resolves to the order of
 * the grants, as indexes.
 */
export async function orderOf(context: Context, waiters: readonly Waiting[], when: string): Promise<readonly number[]> {
  const order: number[] = [];
  let inside: number | undefined;
  const done = waiters.map(async (waiter, index) => {
    await waiter.granted;
    assert.equal(inside, undefined, `expected one holder at a time, waiters ${inside} and ${index} held it ${when}`);
    inside = index;
    order.push(index);
    await turn();
    inside = undefined;
    await waiter.release();
  });
  const limit = callLimit(context) + context.patience;
  await within(limit, Promise.all(done), `all ${waiters.length} waiters to be granted ${when}`);
  return order;
}

/** They must be granted in the given order, as `orderOf` sees it. */
export async function mustKeepOrder(context: Context, waiters: readonly Waiting[], when: string): Promise<void> {
  const [order, queue] = [await orderOf(context, waiters, when), range(waiters.length)].map((list) => list.join(' '));
  assert.equal(order, queue, `expected the order of the queue, ${queue}, ${when}; it was ${order}`);
}

/** `count` waiters in a known order, by `providers` in turn. */
export async function enqueue(
  context: Context,
  providers: readonly LockProvider[],
  key: string,
  length: number,
): Promise<readonly Waiting[]> {
  const waiters: Waiting[] = [];
  for (let index = 0; index < length; index += 1) {
    const waiter = waitOn(context, pick(providers, index), context.claim(key));
    waiters.push(waiter);
    await within(
      callLimit(context),
      waiter.inQueue,
      `waiter ${index + 1} of ${length} to have its position in the queue`,
    );
  }
  return waiters;
}

/**
 * No claim may hold or wait for any of `keys` within `limit` ms, as `provider` sees it, and none
 * may appear after that.
 */
export async function mustStayIdle(
  context: Context,
  provider: LockProvider,
  keys: readonly string[],
  when: string,
  limit: number,
): Promise<void> {
  const used = async (): Promise<readonly KeyState[]> => {
    const states = await Promise.all(keys.map((key) => provider.inspect(key)));
    return states.filter((state) => !isIdle(state));
  };
  const deadline = now() + limit;
  for (let states = await used(); states.length > 0; states = await used()) {
    const seen = `at last there was ${show(states)}`;
    assert.ok(now() < deadline, `expected no holder and no waiter ${when}, within ${Math.round(limit)} ms; ${seen}`);
    await sleep(20);
  }
  const until = now() + context.ttl / 2;
  while (now() < until) {
    const states = await used();
    assert.equal(states.length, 0, `expected no claim to turn up again ${when}, there was ${show(states)}`);
    await sleep(20);
  }
}
