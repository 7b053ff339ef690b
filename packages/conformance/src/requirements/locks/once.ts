import assert from 'node:assert/strict';
import type { Lease, Locks, OnceResult } from '@locks/core';
import { isIdle, mustReject } from '../../checks/expect.ts';
import { certain, inBackground, now, sleep, within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { slotOf } from './jobs-steps.ts';
import { acquireInTime, inTime } from './leasing.ts';
import type { Context } from '../../context/context.ts';

/** Work that runs once per slot. */
export const onceRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object' })({
  'locks-once': {
    title: 'once runs in one process per slot, even if the run ends before the others ask',
    when: ['register'],
    async check(context) {
      const fleet = [await context.createLocks(), await context.createLocks(), await context.createLocks()] as const;
      const [one, two, three] = fleet;
      const key = context.key();
      const ttl = context.longTtl;
      const call = (locks: Locks, slot: Date): Promise<OnceResult<string>> =>
        inTime(context, () => locks.once(key, slot, { ttl }, async () => 'ran'));
      const together = await Promise.all(fleet.map((locks) => call(locks, slotOf(1))));
      const later = [await call(three, slotOf(1)), await call(one, slotOf(1))];
      assert.equal(ran(together), 1, `expected one of three simultaneous calls to run, ${ran(together)} did`);
      assert.deepEqual(statesOf(later), ['done', 'done'], 'expected the slot to be done');
      assert.equal((await call(two, slotOf(2))).state, 'ran', 'expected a run in the next slot');
      const failing = one.once(key, slotOf(3), { ttl }, () => Promise.reject(new Error('as it should')));
      await assert.rejects(failing, /as it should/);
      assert.equal((await call(two, slotOf(3))).state, 'failed', 'expected the failed run to be reported');
      assert.equal((await call(three, slotOf(2))).state, 'passed', 'expected an earlier slot to have passed');
      await one.forgetJob(key);
    },
  },
  'locks-once-every': {
    title: 'once runs at most once in each slot by the clock of the store, and again in the next slot',
    when: ['register', 'time'],
    async check(context) {
      const fleet = [await context.createLocks(), await context.createLocks(), await context.createLocks()] as const;
      const provider = await context.create();
      const key = context.key();
      // Long enough that a loaded machine calls twice in one slot, and loses no lease.
      const every = 4 * context.ttl;
      const ttl = context.longTtl;
      const runs: (readonly [before: number, after: number])[] = [];
      const slot = async (): Promise<number> => Math.floor(Number(await provider.time?.()) / every + 1 / 2);
      const call = async (locks: Locks): Promise<void> => {
        const before = await slot();
        const { held } = await inTime(context, () => locks.once(key, { every }, { ttl }, () => {}));
        if (held) runs.push([before, await slot()]);
      };
      for (const first = await slot(); (await slot()) <= first + 2; await sleep(every / 20)) {
        await Promise.all(fleet.map((locks) => call(locks)));
      }
      // Between two slots a run may belong to either.
      const known = runs.flatMap(([before, after]) => (before === after ? [before] : []));
      const twice = known.find((number, index) => known.indexOf(number) !== index);
      assert.equal(twice, undefined, `expected one run in each slot at most; slots of the runs: ${known.join()}`);
      assert.ok(runs.length >= 2, `expected a run in each of 3 slots, got ${runs.length} in all`);
      await fleet[0].forgetJob(key);
    },
  },
  // Keys with a cooldown after their lease.
  'locks-at-least': {
    title: 'with atLeast a key stays closed for this time, although its lease was released',
    when: ['ttl'],
    async check(context) {
      const [one, two] = [await context.createLocks(), await context.createLocks()] as const;
      const atLeast = 4 * context.ttl;
      const since = now();
      const lease = await acquireInTime(context, one, context.key(), { ttl: context.longTtl, atLeast });
      const [waiting] = await taken(context, two, lease);
      assert.equal(await lease.release(), true, 'expected release to return true');
      const next = await rested(context, waiting, since, atLeast);
      assert.equal(await next.release(), true, 'expected release to return true');
      await context.state(await context.create(), lease.key, 'no holder and no waiter at the end', isIdle);
    },
  },
  'locks-lock-delay': {
    title: 'with lockDelay a key has a cooldown after a lost lease, and not after a release',
    when: ['ttl'],
    async check(context) {
      const [one, two] = [await context.createLocks(), await context.createLocks()] as const;
      const { longTtl, ttl } = context;
      const released = await acquireInTime(context, one, context.key(), { ttl: longTtl, lockDelay: longTtl });
      const [after] = await taken(context, two, released);
      assert.equal(await released.release(), true, 'expected release to return true');
      await (await within(context.patience, after, 'the key after a release')).release();
      const lockDelay = 4 * ttl;
      const lost = await acquireInTime(context, one, released.key, { ttl: longTtl, lockDelay, maxHold: ttl });
      // Before the next provider is created: that may take longer than the lease.
      const since = now() + lost.remaining;
      const [waiting] = await taken(context, two, lost);
      await (await rested(context, waiting, since, lockDelay)).release();
    },
  },
  'locks-rest-session': {
    title: 'where holds end with a session, atLeast and lockDelay are rejected, naming the trait',
    when: ['session'],
    async check(context) {
      const locks = await context.createLocks();
      for (const option of ['atLeast', 'lockDelay'] as const) {
        const taking = locks.acquire(context.key(), { [option]: 1_000 });
        await mustReject(taking, 'LOCK_INVALID', `for option "${option}"`);
        await taking.catch((error: unknown) => assert.match(String(error), /expiry/));
      }
    },
  },
});

function statesOf(results: readonly OnceResult<unknown>[]): readonly string[] {
  return results.map(({ state }) => state);
}

function ran(results: readonly OnceResult<unknown>[]): number {
  return results.filter(({ held }) => held).length;
}

/** A waiter for the key of `lease`. In an array, as it is a promise. */
async function taken(context: Context, locks: Locks, lease: Lease): Promise<readonly [Promise<Lease>]> {
  const waiting = inBackground(locks.acquire(lease.key, { ttl: context.longTtl }));
  const provider = await context.create();
  await context.state(provider, lease.key, 'a waiter', ({ waiters }) => waiters === 1 || !context.traits.fair);
  return [waiting];
}

/** The next lease, which must not come earlier than `rest` ms after `since`, and not much later. */
async function rested(context: Context, waiting: Promise<Lease>, since: number, rest: number): Promise<Lease> {
  const next = await within(rest + context.patience, waiting, `the key after its rest of ${rest} ms`);
  const after = now() - since;
  const early = `expected the key to rest for ${rest} ms, another lease was granted after ${Math.round(after)} ms`;
  assert.ok(after >= certain(rest), early);
  return next;
}
