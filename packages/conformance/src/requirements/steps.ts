import assert from 'node:assert/strict';
import type { Claim, Grant, LockProvider } from '@locks/core';
import type { Context } from '../context/context.ts';
import { expectAnswer, mustBeBusy, mustExceed, mustFree, mustGrant } from '../checks/expect.ts';
import { certain, now, sleep, turn } from '../checks/time.ts';

/** The numbers from 0 to `count - 1`. */
export function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** `items[index]`, going round. */
export function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}

/** The modes that a hold of this provider may have. */
export function modesOf({ traits }: Context): readonly Claim['mode'][] {
  return traits.shared ? ['exclusive', 'shared'] : ['exclusive'];
}

/** A grant, and when its attempt was sent and answered. */
export interface TimedGrant {
  readonly grant: Grant;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * One attempt that is expected to be granted, with its times. The hold cannot have begun before
 * `sentAt`.
 */
export async function timed(attempt: () => Promise<Grant>): Promise<TimedGrant> {
  const sentAt = now();
  const grant = await attempt();
  return { grant, sentAt, answeredAt: now() };
}

/** Repeats `claim` without waiting in the queue until it is granted or `deadline` has passed. */
export async function firstGrant(
  context: Context,
  provider: LockProvider,
  claim: Claim,
  deadline: number,
): Promise<TimedGrant | undefined> {
  for (;;) {
    const sentAt = now();
    const answer = await provider.tryAcquire(claim);
    const answeredAt = now();
    expectAnswer(answer, 'for a repeated attempt');
    if (answer.granted) return { grant: answer, sentAt, answeredAt };
    if (answeredAt >= deadline) return undefined;
    await sleep(Math.max(2, context.ttl / 50));
  }
}

/**
 * The hold of `claim`, restarted by `what` between `sentAt` and `answeredAt`, lasts `validity` and
 * ends with its ttl.
 */
export async function mustRestart(
  context: Context,
  other: LockProvider,
  { key, mode }: Claim,
  {
    what,
    sentAt,
    answeredAt,
    validity,
  }: Omit<TimedGrant, 'grant'> & { readonly what: string; readonly validity: number },
): Promise<void> {
  const { ttl, patience } = context;
  const next = context.claim(key);
  const taken = await firstGrant(context, other, next, answeredAt + ttl + patience);
  const since = (moment: number): number => Math.round(moment - sentAt);
  assert.ok(
    taken !== undefined,
    `expected the ${mode} hold to end ${ttl} ms after its ${what}, it lasted ${since(now())} ms`,
  );
  assert.ok(
    taken.answeredAt - sentAt >= certain(validity),
    `expected the ${mode} hold to last ${ttl} ms from its ${what}, another owner was granted after ${since(taken.answeredAt)} ms`,
  );
  await mustFree(other, next, 'by the next holder');
}

/** Fails unless the key of `claim` is held: another exclusive owner is refused. */
export async function mustBeHeld(context: Context, other: LockProvider, claim: Claim, when: string): Promise<void> {
  await mustBeBusy(
    other,
    context.claim(claim.key),
    `for another owner, because ${claim.owner} must still hold the key ${when}`,
  );
}

/** Fails unless another owner is granted, with a token above `token`. It releases. */
export async function mustBeFree(
  context: Context,
  provider: LockProvider,
  key: string,
  when: string,
  token?: bigint,
): Promise<void> {
  const next = context.claim(key);
  const grant = await mustGrant(provider, next, when);
  if (token !== undefined) mustRise(context, grant.token, token, when);
  await provider.release(next);
}

/** `later` must exceed `earlier`, if tokens are reported. */
export function mustRise({ traits }: Context, later: bigint, earlier: bigint, when: string): void {
  if (traits.fencing !== 'none') mustExceed(later, earlier, when);
}

/** `token` must be the earlier one, if tokens are reported. */
export function mustBeSame({ traits }: Context, token: bigint, earlier: bigint, when: string): void {
  if (traits.fencing !== 'none') assert.equal(token, earlier, `expected the token ${earlier} ${when}, got ${token}`);
}

/**
 * Some time inside a lock: from a few turns of the event loop to 2 ms, so that overlaps of holders
 * are detected.
 */
export async function holdForAWhile({ random }: Context): Promise<void> {
  if (random.integer(2) === 0) await sleep(1 + random.integer(2));
  else for (let turns = 1 + random.integer(6); turns > 0; turns -= 1) await turn();
}

/** From the same tick to some 25 ms later. */
export async function randomMoment({ random }: Context): Promise<void> {
  if (random.integer(2) === 0) await sleep(random.integer(25));
  else for (let turns = random.integer(6); turns > 0; turns -= 1) await turn();
}
