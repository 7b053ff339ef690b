import type { Claim, KeyState, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import {
  drain,
  mustBeBusy,
  mustFree,
  mustFreeNothing,
  mustGrant,
  mustNotRenew,
  mustRenew,
} from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { eventually, inBackground, sleep, within } from '../../checks/time.ts';
import { pick, randomMoment, range } from '../steps.ts';
import assert from 'node:assert/strict';

/** A waiter is eventually granted the key, or leaves nothing. */
export const waitingRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'queue' })({
  'abandon-leaves-nothing': {
    title: 'hundreds of waiters that give up at random moments leave nothing: the next attempt is granted immediately',
    async check(context, one, two) {
      const { traits, random } = context;
      // With shared mode, a mix of both kinds.
      const changes = (): { readonly mode?: 'shared'; readonly permits?: number } =>
        traits.shared && random.integer(3) > 0 ? { mode: 'shared', permits: 3 } : {};
      await Promise.all(range(6).map(() => giveUpAtRandom(context, [one, two], 50, changes)));
    },
  },
  'fair-beside-other-calls': {
    title: 'renew, repeats, inspect, list, and the attempts and releases of others remove no position from the queue',
    when: ['fair'],
    async check(context, one, two) {
      const holder = await context.hold(one);
      const { key } = holder;
      const other = context.claim(key);
      const calls: Readonly<Record<string, (provider: LockProvider) => Promise<unknown>>> = {
        'a renewal': () => mustRenew(one, holder, 'by the holder, beside a queue'),
        'a repeat of the holder': () => mustGrant(one, holder, 'for a repeat by the holder, beside a queue'),
        'the renewal of another owner': (provider) => mustNotRenew(provider, other, 'by an owner without a hold'),
        'the attempt of another owner': (provider) => mustBeBusy(provider, other, 'while it is held'),
        'the release of another owner': (provider) => mustFreeNothing(provider, other, 'by an owner without a hold'),
        inspect: (provider) => provider.inspect(key),
        list: (provider) => drain(provider, key),
      };
      const waiters: { readonly provider: LockProvider; readonly claim: Claim }[] = [];
      const mustStay = async (after: string): Promise<void> => {
        const what = `${waiters.length} in the queue after ${after}`;
        await context.state(two, key, what, (state) => state.waiters === waiters.length);
      };
      for (const [name, call] of Object.entries(calls)) {
        // On a slow machine their positions must not lapse meanwhile.
        await Promise.all(waiters.map(({ provider, claim }) => mustBeBusy(provider, claim, 'while it is held')));
        const waiter = { provider: pick([one, two], waiters.length), claim: context.claim(key) };
        waiters.push(waiter);
        // Simultaneously, so that a call that writes back what it read loses it.
        const joins = mustBeBusy(waiter.provider, waiter.claim, 'while it is held', () => {});
        await Promise.all([call(one), joins, call(two)]);
        await mustStay(`${name}, beside the attempt of the last one`);
        await call(one);
        await mustStay(name);
      }
      const leaver = waiters.splice(1, 1)[0] as (typeof waiters)[number];
      await mustFreeNothing(leaver.provider, leaver.claim, 'by a waiter');
      await mustStay('a waiter gave up');
      await mustFree(one, holder, 'by the holder');
      for (const [index, { provider, claim }] of waiters.entries()) {
        const next = waiters[index + 1];
        if (next) await mustBeBusy(next.provider, next.claim, `for number ${index + 2} in the queue`, () => {});
        await mustGrant(provider, claim, `for number ${index + 1} in the queue, whose turn it is`);
        await mustFree(provider, claim, 'by the holder');
      }
      await context.idle(two, key);
    },
  },
  // How long a position in the queue lasts without a repeat or a release of its claim.
  'place-lapses': {
    title: 'a waiter that stops asking, without a release, loses its position: those behind it are granted',
    when: ['fair', 'ttl'],
    check: (context) => leavesTheLine(context, 'a waiter that stopped asking', () => Promise.resolve()),
  },
  'place-ends-with-provider': {
    title: 'the waiters of a closed provider lose their positions: those behind them are granted',
    when: ['fair'],
    check: (context) => leavesTheLine(context, 'a waiter whose provider was closed', (gone) => gone.close()),
  },
});

/** Waiters come and go on one key; a few are granted in between. Then the key must be as before. */
async function giveUpAtRandom(
  context: Context,
  providers: readonly LockProvider[],
  count: number,
  changes: () => { readonly mode?: 'shared'; readonly permits?: number },
): Promise<void> {
  const key = context.key();
  const first = pick(providers, 0);
  const holder = context.claim(key);
  await mustGrant(first, holder, 'on a free key');
  const comeAndGo = range(count).map(async (index) => {
    await randomMoment(context);
    const waiter = context.wait(pick(providers, index), context.claim(key, changes()));
    await randomMoment(context);
    await waiter.abandon();
  });
  const gone = inBackground(Promise.all(comeAndGo));
  await sleep(context.random.integer(20));
  await mustFree(first, holder, 'by the holder');
  await gone;
  const next = context.claim(key);
  const last = pick(providers, 1);
  await mustGrant(
    last,
    next,
    `immediately, after ${count} waiters gave up at random moments and all of them were released`,
  );
  await context.state(
    first,
    key,
    'one holder and no waiter',
    (state) => state.holders.length === 1 && state.waiters === 0,
  );
  await mustFree(last, next, 'by the holder');
  await context.idle(first, key);
}

/**
 * The first in the queue is `who` after `leave`. The next one must be granted, whether the key is
 * freed immediately or later.
 */
async function leavesTheLine(
  context: Context,
  who: string,
  leave: (provider: LockProvider) => Promise<void>,
): Promise<void> {
  const [stays, goes] = [await context.createLapsing(), await context.createLapsing()];
  const lines = await Promise.all(
    [true, false].map(async (freedAtOnce) => {
      const holder = await context.hold(stays);
      await mustBeBusy(goes, context.claim(holder.key), 'while it is held', () => {});
      const next = await context.queue(stays, context.claim(holder.key));
      return { freedAtOnce, holder, next };
    }),
  );
  await leave(goes);
  const granted = lines.map(async ({ freedAtOnce, holder, next }) => {
    if (!freedAtOnce) {
      const ended = `the place of ${who} to end`;
      const look = (): Promise<KeyState> => stays.inspect(holder.key);
      const { waiters } = await eventually(context.placeLimit, ended, look, (state) => state.waiters < 2);
      assert.equal(waiters, 1, `expected the place behind ${who} to stay, there were ${waiters} left`);
    }
    await mustFree(stays, holder, 'by the holder');
    await within(context.placeLimit, next.granted, `a grant for the one behind ${who}`);
    await mustFree(stays, next.claim, 'by the one that stayed');
    await context.idle(stays, holder.key);
  });
  await Promise.all(granted);
}
