import assert from 'node:assert/strict';
import type { Context } from '../context/context.ts';
import { drain, mustBeBusy, mustFree, mustGrant, mustReject, mustRenew } from '../checks/expect.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';
import { inBackground, sleep, turn, within } from '../checks/time.ts';
import { mustBeHeld, range } from './steps.ts';
import { activeResources, countTimers, mustNotGrow, processListeners } from './resources.ts';
import type { Counts } from './resources.ts';

/** A closed provider rejects calls, and affects no other. */
export const closeRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'close' })({
  'close-refuses': {
    title: 'after close every call rejects with LOCK_CLOSED; close may be repeated',
    async check(context, provider) {
      const claim = await context.hold(provider);
      await mustFree(provider, claim, 'by the holder');
      await Promise.all([provider.close(), provider.close()]);
      await provider.close();
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        tryAcquire: () => provider.tryAcquire(claim),
        'tryAcquire with wake': () => provider.tryAcquire(claim, () => {}),
        renew: () => provider.renew(claim),
        release: () => provider.release(claim),
        inspect: () => provider.inspect(claim.key),
        ...(provider.register && { register: async () => await provider.register?.(context.unique()) }),
        ...(provider.list && { list: () => drain(provider, claim.key) }),
      };
      for (const [name, act] of Object.entries(calls)) {
        await mustReject(call(act), 'LOCK_CLOSED', `for ${name} after close`);
      }
    },
  },
  'close-unused': {
    title: 'a provider that was never used can be closed',
    async check(context, provider) {
      await within(context.patience, provider.close(), 'close() of an unused provider to resolve');
      await mustReject(
        call(() => provider.inspect(context.key())),
        'LOCK_CLOSED',
        'for inspect after close',
      );
    },
  },
  'close-settles-calls': {
    title: 'calls in progress when close is called settle',
    async check(context, one, two) {
      const claims = range(10).map(() => context.claim(context.key(), { ttl: context.ttl }));
      const calls = claims.flatMap((claim) => [
        one.tryAcquire(claim, () => {}),
        one.inspect(claim.key),
        one.renew(claim),
      ]);
      const settled = Promise.allSettled(calls);
      await within(context.patience, one.close(), 'close() to resolve while calls are in flight');
      await within(2 * context.patience, settled, 'calls that were in flight at close to settle');
      if (context.traits.expiry !== 'ttl') return;
      for (const { key } of claims) await context.idle(two, key, 'once the ttl is over');
    },
  },
  'close-in-mid-attempt': {
    title: 'a provider that is closed during an attempt, at any step, leaves nothing that outlives the ttl',
    when: ['ttl'],
    async check(context, witness) {
      const attempts = range(12).map(async (turns) => {
        const provider = await context.create();
        const claim = context.claim(context.key(), { ttl: context.ttl });
        const attempt = inBackground(provider.tryAcquire(claim));
        for (let left = turns >> 1; left > 0; left -= 1) await turn();
        await within(context.patience, provider.close(), 'close() to resolve in the middle of an attempt');
        await within(context.patience, Promise.allSettled([attempt]), 'the attempt to settle after close');
        await context.idle(witness, claim.key, 'once the ttl is over');
      });
      await Promise.all(attempts);
    },
  },
  'close-is-local': {
    title: 'closing a provider does not touch the holds, waiters and wakes of others on the same store',
    async check(context, closed, one, two) {
      const holder = context.claim();
      const gone = context.claim(holder.key);
      await mustGrant(one, holder, 'on a free key');
      const waiter = await context.queue(two, context.claim(holder.key));
      await mustBeBusy(closed, gone, 'while it is held');
      await closed.close();
      await mustBeHeld(context, two, holder, 'after another provider was closed');
      await mustRenew(one, holder, 'by the holder after another provider was closed');
      await mustFree(one, holder, 'by the holder after another provider was closed');
      await context.granted(waiter, 'for the waiter of a third provider after one was closed');
      await mustFree(two, waiter.claim, 'by the waiter that was granted');
    },
  },
  'close-wakes-waiters': {
    title:
      'close wakes every waiting claim of the provider, not synchronously, and its next attempt rejects with LOCK_CLOSED; nothing wakes it later',
    when: ['wake'],
    async check(context, one, two) {
      const holders = range(2).map(() => context.claim());
      const waiters = holders.flatMap(({ key }) => range(3).map(() => context.claim(key)));
      for (const holder of holders) await mustGrant(one, holder, 'on a free key');
      const woken = new Set<string>();
      for (const waiter of waiters) {
        await mustBeBusy(two, waiter, 'while it is held', () => woken.add(waiter.owner));
      }
      woken.clear();
      const closing = two.close();
      assert.equal(woken.size, 0, 'expected close to wake no waiter synchronously');
      await closing;
      await context.eventually(
        `all ${waiters.length} waiters to be woken by close`,
        () => woken.size === waiters.length,
      );
      for (const waiter of waiters) {
        await mustReject(
          call(() => two.tryAcquire(waiter, () => {})),
          'LOCK_CLOSED',
          'for a waiter that close has woken',
        );
      }
      woken.clear();
      for (const claim of [...holders, ...waiters]) await one.release(claim);
      await sleep(context.ttl / 4);
      assert.equal(woken.size, 0, `expected no wake of a closed provider when a key is free, got ${woken.size}`);
    },
  },
  'close-leaves-nothing': {
    title: 'a used and closed provider leaves no timer, connection or listener in the process',
    async check(context) {
      await countTimers(async (made) => {
        const count = (): Counts => ({ ...activeResources(), timers: made(), listeners: processListeners() });
        // Things created once, on first use, are no leak.
        await useAndClose(context);
        await turn();
        const before = count();
        for (const _ of range(3)) await useAndClose(context);
        await mustNotGrow(context, before, 'after three more providers were used and closed', count);
      });
    },
  },
});

/** A provider's whole life: it is closed while it holds one key and waits for another. */
async function useAndClose(context: Context): Promise<void> {
  const [one, two] = await context.createMany(2);
  const [holder, other] = [context.claim(), context.claim()];
  const waiter = context.claim(other.key);
  await mustGrant(one, holder, 'on a free key');
  await mustGrant(two, other, 'on a free key');
  await mustBeBusy(one, waiter, 'while it is held', () => {});
  await one.close();
  for (const claim of [waiter, holder, other]) await two.release(claim);
  await two.close();
}

/** A provider may also throw synchronously. */
async function call<T>(act: () => Promise<T>): Promise<T> {
  return await act();
}
