import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustBeBusy, mustFree, mustFreeNothing, mustGrant } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';
import type { Waiting } from '../../checks/waiting.ts';
import { pick, range } from '../steps.ts';

/** First come, first served. */
export const fairnessRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'order',
  when: ['fair'],
})({
  'fair-order': {
    title: 'waiters of two providers are granted in the order of their positions, even behind a hundred others',
    async check(context) {
      const { holder, waiters, one, two } = await queue(context, 8);
      // They give up, as a transfer to each would take long.
      const others = range(100).map((index) => ({
        provider: pick([one, two], index),
        claim: longClaim(context, holder),
      }));
      const joined = others.map(({ provider, claim }) => mustBeBusy(provider, claim, 'while it is held', () => {}));
      await Promise.all(joined);
      waiters.push(...(await enqueue(context, [one, two], holder, 12)));
      await Promise.all(others.map(({ provider, claim }) => mustFreeNothing(provider, claim, 'by a waiter')));
      await mustFree(one, holder, 'by the holder');
      await mustBeInOrder(context, waiters, 'waiters');
      await Promise.all(range(10).map(() => pairBeforeOne(context, one, two)));
    },
  },
  'fair-order-after-abandon': {
    title: 'when the first, one in the middle and the last give up, the others keep their order',
    async check(context) {
      const { holder, waiters, one, two } = await queue(context, 7);
      for (const leaver of [3, 0, 6]) await pick(waiters, leaver).abandon();
      await context.state(two, holder.key, 'four of seven waiters left in the queue', (state) => state.waiters === 4);
      await mustFree(one, holder, 'by the holder');
      const stay = waiters.filter((_, index) => ![3, 0, 6].includes(index));
      await mustBeInOrder(context, stay, 'those who stayed');
    },
  },
  'fair-newcomer-waits': {
    title: 'a newcomer does not overtake the queue, not even at the moment of a release',
    async check(context, one, two) {
      const checks = range(10).map(async (round) => {
        const key = context.key();
        const [holder, waiter, newcomer, other] = [
          context.claim(key),
          context.claim(key),
          context.claim(key),
          context.claim(key),
        ];
        await mustGrant(one, holder, 'on a free key');
        await mustBeBusy(two, waiter, 'while it is held', () => {});
        const when = `for a newcomer after a release, while ${waiter.owner} is in the queue`;
        if (round % 2 === 0) await mustFree(one, holder, 'by the holder');
        else await Promise.all([mustFree(one, holder, 'by the holder'), mustBeBusy(two, other, when)]);
        await mustBeBusy(one, other, when);
        await mustBeBusy(one, newcomer, when, () => {});
        await mustGrant(two, waiter, 'for the first in the queue after the release');
        await mustFree(two, waiter, 'by the holder');
        await mustBeBusy(two, other, `for a newcomer while ${newcomer.owner} is in the queue`);
        await mustGrant(one, newcomer, 'for the next in the queue');
        await mustFree(one, newcomer, 'by the holder');
        await context.idle(two, key);
      });
      await Promise.all(checks);
    },
  },
  'fair-repeat-keeps-place': {
    title: 'a waiter that tries again, with wake or without, keeps its one position in the queue',
    async check(context, one, two) {
      const holder = await context.hold(one);
      const inQueue = range(4).map((index) => ({
        provider: pick([one, two], index),
        claim: context.claim(holder.key),
      }));
      const tries = [...inQueue, ...[0, 2, 1, 0].map((index) => pick(inQueue, index))];
      for (const { provider, claim } of tries) await mustBeBusy(provider, claim, 'while it is held', () => {});
      for (const { provider, claim } of inQueue.slice(0, 3)) await mustBeBusy(provider, claim, 'while it is held');
      await context.state(one, holder.key, 'four waiters, however often they tried', ({ waiters }) => waiters === 4);
      await mustFree(one, holder, 'by the holder');
      for (const [index, { provider, claim }] of inQueue.entries()) {
        const behind = inQueue.slice(index + 1);
        for (const other of behind)
          await mustBeBusy(other.provider, other.claim, `for one behind number ${index + 1} in the queue`, () => {});
        await mustGrant(
          provider,
          claim,
          `for number ${index + 1} in the queue, whose turn it is though it and others tried again`,
        );
        await mustFree(provider, claim, 'by the holder');
      }
    },
  },
  'fair-whatever-the-settings': {
    title: 'a lapsed position in the queue, of a service with shorter settings, removes no other',
    when: ['fair', 'ttl', 'network'],
    needs: ['createOther'],
    async check(context) {
      const [one, other] = await Promise.all([context.create(), context.createOther()]);
      const holder = await context.hold(one);
      const waiter = await context.queue(one, context.claim(holder.key));
      await mustBeBusy(other, context.claim(holder.key), 'while it is held', () => {});
      const lapsed = 'the place of a claim that does not come any more to lapse';
      const { waiters } = await context.state(one, holder.key, lapsed, (state) => state.waiters < 2);
      assert.equal(waiters, 1, `expected the other position in the queue to stay, there were ${waiters} left`);
      await mustFree(one, holder, 'by the holder');
      await context.granted(waiter, 'for the one that stayed');
      await mustFree(one, waiter.claim, 'by the one that stayed');
    },
  },
  'fair-writer-not-starved': {
    title: 'readers that come after a waiting writer do not overtake it; after it they are admitted together',
    when: ['fair', 'shared'],
    async check(context, one, two) {
      const early = context.claim(context.key(), { mode: 'shared' });
      const { key } = early;
      await mustGrant(one, early, 'on a free key');
      const writer = await context.queue(two, context.claim(key));
      for (const provider of [one, two]) {
        const late = context.claim(key, { mode: 'shared' });
        await mustBeBusy(
          provider,
          late,
          'for a reader that comes while a writer waits: a stream of readers would starve it',
        );
      }
      const readers = range(4).map((index) =>
        context.wait(pick([one, two], index), context.claim(key, { mode: 'shared' })),
      );
      for (const reader of readers) await reader.inQueue;
      await mustFree(one, early, 'by the early reader');
      await context.granted(writer, 'for the writer, after the reader before it has gone');
      const passed = readers.filter(({ isGranted }) => isGranted).length;
      assert.equal(passed, 0, `expected no reader to be admitted next to the writer, ${passed} were`);
      await mustFree(two, writer.claim, 'by the writer');
      for (const reader of readers)
        await context.granted(reader, 'for each reader behind the writer, while the others still hold');
      for (const reader of readers) await mustFree(reader.provider, reader.claim, 'by a reader');
      await context.idle(one, key);
    },
  },
});

/** A held key with waiters in a known order. */
interface Queue {
  readonly one: LockProvider;
  readonly two: LockProvider;
  readonly holder: Claim;
  readonly waiters: Waiting[];
}

async function queue(context: Context, length: number): Promise<Queue> {
  const [one, two] = await context.createMany(2);
  const holder = await context.hold(one);
  return { one, two, holder, waiters: await enqueue(context, [two, one], holder, length) };
}

async function enqueue(
  context: Context,
  providers: readonly LockProvider[],
  holder: Claim,
  length: number,
): Promise<Waiting[]> {
  const waiters: Waiting[] = [];
  for (const index of range(length)) {
    waiters.push(await context.queue(pick(providers, index), longClaim(context, holder)));
  }
  return waiters;
}

/** The longest owner: a store that cuts what it keeps of a key loses the last of them. */
function longClaim(context: Context, { key }: Claim): Claim {
  const claim = context.claim(key);
  return { ...claim, owner: claim.owner.padEnd(200, '.') };
}

/** Each releases when it is granted; the grants must come in the order of the queue. */
async function mustBeInOrder(context: Context, waiters: readonly Waiting[], who: string): Promise<void> {
  const order: number[] = [];
  const done = waiters.map(async (waiter, index) => {
    await waiter.granted;
    order.push(index);
    await mustFree(waiter.provider, waiter.claim, 'by a waiter that was granted');
  });
  await within(2 * context.patience, Promise.all(done), `all ${waiters.length} waiters in the queue to be granted`);
  const wrong = order.find((index, turn) => index !== turn);
  const [turn, number] = [order.indexOf(wrong ?? 0) + 1, (wrong ?? 0) + 1];
  const expected = `expected ${who} to be granted in the order of the queue`;
  assert.equal(wrong, undefined, `${expected}; grant ${turn} of ${order.length} went to number ${number}`);
}

/** Two claims that simultaneously try for a position are both before one that comes then. */
async function pairBeforeOne(context: Context, one: LockProvider, two: LockProvider): Promise<void> {
  const holder = await context.hold(one);
  const pair = [one, two].map((provider) => context.wait(provider, context.claim(holder.key)));
  for (const waiter of pair) await waiter.inQueue;
  const later = await context.queue(two, context.claim(holder.key));
  await mustFree(one, holder, 'by the holder');
  const order: Waiting[] = [];
  const served = [...pair, later].map(async (waiter) => {
    await context.granted(waiter, 'for each of three in the queue');
    order.push(waiter);
    await mustFree(waiter.provider, waiter.claim, 'by one of three that was granted');
  });
  await Promise.all(served);
  const place = order.indexOf(later) + 1;
  assert.equal(place, 3, `expected a claim to be behind two earlier waiters, it was number ${place}`);
}
