import assert from 'node:assert/strict';
import type { Context } from '../../context/context.ts';
import { mustFree } from '../../checks/expect.ts';
import type { Call, Interference, WakeRule } from '../../checks/interference.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, now, sleep, turn, within } from '../../checks/time.ts';
import { range } from '../steps.ts';

/** Wakes are hints: a waiter is granted without them, and not granted twice because of them. */
export const locksWakesRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'wake' })({
  'locks-wakes-order': {
    title:
      'waits whose wakes come three times each, late, or not at all, are granted one at a time, in order where the provider is fair',
    async check(context) {
      const { fair, wake } = context.traits;
      for (const order of [...(await serveThroughWakes(context)), await serveWithoutWakes(context)]) {
        if (fair && wake)
          assert.deepEqual(order, range(order.length), 'expected them to be served in the order of the queue');
      }
    },
  },
  'locks-wakes-spurious': {
    title: 'unnecessary wakes cost at most an attempt each, even for claims that have gone, and the wait continues',
    async check(context) {
      const { locks, interference } = await context.interfere();
      const provider = await context.create();
      const holder = await context.hold(provider);
      const controller = new AbortController();
      const gone = locks.acquire(holder.key, { signal: controller.signal, ttl: context.longTtl }).catch(() => {});
      const start = now();
      const wait = inBackground(locks.acquire(holder.key, { ttl: context.longTtl }));
      await context.eventually('two attempts', () => answered(interference) >= 2);
      controller.abort();
      await gone;
      const wakes = 30;
      for (const round of range(wakes)) {
        interference.wakeAll();
        interference.wakeAll();
        await (round % 3 === 0 ? sleep(2) : turn());
      }
      // Two waiters, their polls, and one attempt for each round of wakes and each of its two
      // wakes.
      const limit = 2 + 2 * wakes + polls(now() - start) * 2;
      const sent = interference.of('tryAcquire');
      assert.ok(
        sent.length <= limit,
        `expected at most ${limit} attempts for ${wakes} wakes, ${sent.length} were made`,
      );
      for (const { owner } of new Set(sent.map(({ claim }) => claim)))
        mustNotOverlap(interference.of('tryAcquire', owner));
      await mustFree(provider, holder, 'by the holder');
      const lease = await within(context.patience, wait, 'the waiter to be served after its holder released');
      assert.ok(lease.held, 'expected the lease to be held');
      await lease.release();
      await context.idle(provider, holder.key);
    },
  },
  'locks-wake-in-flight': {
    title: 'a wake during an attempt is not forgotten: its busy answer is outdated, and the next attempt follows',
    when: ['wake'],
    async check(context) {
      const { locks, interference } = await context.interfere();
      const provider = await context.create();
      const holder = await context.hold(provider);
      // Decided immediately, received late; and then nothing else would make it try again.
      const busy = { granted: false, retryAfter: context.longTtl } as const;
      interference.rule('tryAcquire', ({ index }) => (index === 0 ? { late: context.ttl / 2, busy } : { busy }));
      const wait = inBackground(locks.acquire(holder.key, { ttl: context.longTtl }));
      await context.eventually('the attempt to be decided', () => interference.of('tryAcquire')[0]?.appliedAt, Boolean);
      await mustFree(provider, holder, 'by the holder');
      const lease = await within(
        context.patience,
        wait,
        'a waiter that was woken while its attempt was in flight to be served',
      );
      assert.equal(await lease.release(), true, 'expected release to return true');
    },
  },
  'locks-polling-pace': {
    title: 'a wait for a key that stays held makes few attempts',
    async check(context) {
      const { locks, interference } = await context.interfere();
      const provider = await context.create();
      const holder = await context.hold(provider);
      interference.wakes([]);
      const start = now();
      const wait = locks.tryAcquire(holder.key, { wait: 1.5 * context.ttl, ttl: context.longTtl });
      assert.equal(await wait, null, 'expected null for a key that stays held');
      const sent = interference.of('tryAcquire').length;
      const limit = 2 + polls(now() - start);
      assert.ok(
        sent <= limit,
        `expected at most ${limit} attempts in ${Math.round(now() - start)} ms, ${sent} were made`,
      );
      await mustFree(provider, holder, 'by the holder');
      await context.idle(provider, holder.key);
    },
  },
});

/** A queue whose wakes are all dropped. Returns its order. */
async function serveWithoutWakes(context: Context): Promise<readonly number[]> {
  // A waiter that is not woken may sleep until the holder that it met would expire.
  return await serveAll(context, [], 2, Math.max(2 * context.ttl, 1_000));
}

/** Three queues, whose wakes come several times, or late. Returns the order of each. */
async function serveThroughWakes(context: Context): Promise<readonly (readonly number[])[]> {
  const wakeRules: readonly WakeRule[] = [[0, 0, 0], [0, 5, 40], [context.ttl / 4]];
  return await Promise.all(wakeRules.map((rule) => serveAll(context, rule, 5, context.longTtl)));
}

/**
 * A holder and a queue behind it; each is granted when the one before has released, and none twice.
 * Returns the order of the grants.
 */
async function serveAll(context: Context, rule: WakeRule, count: number, ttl: number): Promise<readonly number[]> {
  const { locks, interference } = await context.interfere();
  const provider = await context.create();
  interference.wakes(rule);
  const holder = await context.hold(provider, { ttl });
  const order: number[] = [];
  let inside = 0;
  const work = range(count).map(async (index) => {
    await context.eventually('those before to be in the queue', () => answered(interference) >= index);
    await locks.withLock(
      holder.key,
      async () => {
        inside += 1;
        assert.equal(inside, 1, 'expected one holder at a time');
        order.push(index);
        await turn();
        inside -= 1;
      },
      // A waiter that is not woken looks when the holder that it met would expire. What it was
      // assigned meanwhile must last for longer than that.
      { ttl: 3 * ttl },
    );
  });
  const served = inBackground(Promise.all(work));
  await context.eventually('all of them to be in the queue', () => answered(interference) >= count);
  await provider.release(holder);
  // The provider decides how long a position in the queue lasts, and its owner sleeps without a
  // wake.
  await within(context.patience + 12_000, served, `${count} waits to be served`);
  assert.equal(order.length, count, `expected each of ${count} waits to be served once`);
  await context.idle(provider, holder.key);
  return order;
}

function answered({ of }: Interference): number {
  return new Set(of('tryAcquire').flatMap(({ answer, claim }) => (answer === undefined ? [] : [claim.owner]))).size;
}

function mustNotOverlap(attempts: readonly Call[]): void {
  for (const [index, { sentAt }] of attempts.entries()) {
    const before = attempts[index - 1];
    const over = before === undefined || (before.answeredAt !== undefined && before.answeredAt <= sentAt);
    assert.ok(over, 'expected the attempts of one claim never to overlap');
  }
}

/**
 * The most attempts of a wait without a wake in `duration` ms: the shortest interval that a
 * provider may return.
 */
function polls(duration: number): number {
  return 8 + Math.ceil(duration / 25);
}
