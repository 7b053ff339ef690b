import assert from 'node:assert/strict';
import type { KeyState, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustBeBusy, mustFree, mustGrant } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { eventually, within } from '../../checks/time.ts';
import { all, whenFair, whenTtlExpires } from '../when.ts';

/** How long a place in line lasts whose claim is neither repeated nor released. */
export const placesRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'queue' })({
  'place-lapses': {
    title: 'a waiter that stops asking, without a release, loses its place: those behind it are granted',
    when: all(whenFair, whenTtlExpires),
    check: (context) => leavesTheLine(context, 'a waiter that stopped asking', () => Promise.resolve()),
  },
  'place-ends-with-provider': {
    title: 'the waiters of a provider that was closed lose their places: those behind them are granted',
    when: whenFair,
    check: (context) => leavesTheLine(context, 'a waiter whose provider was closed', (gone) => gone.close()),
  },
});

/**
 * The first in line is `who` after `leave`. The next one must be granted, whether the key is freed
 * at once or later.
 */
async function leavesTheLine(
  context: Context,
  who: string,
  leave: (provider: LockProvider) => Promise<void>,
): Promise<void> {
  const [stays, goes] = [await context.createLapsing(), await context.createLapsing()];
  const lines = await Promise.all(
    [true, false].map(async (freedAtOnce) => {
      const holder = context.claim(context.key());
      await mustGrant(stays, holder, 'on a free key');
      await mustBeBusy(goes, context.claim(holder.key), 'while it is held', () => {});
      const next = context.wait(stays, context.claim(holder.key));
      await next.inLine;
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
    await context.state(stays, holder.key, 'no holder and no waiter', isIdle);
  });
  await Promise.all(granted);
}
