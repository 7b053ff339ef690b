import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Claim, Holder, KeyState, LockProvider, Waiter } from '@locks/core';
import type { Context } from '../context/context.ts';
import { mustBeBusy, mustFree, mustFreeNothing, mustGrant, show } from '../checks/expect.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';
import { pick } from './steps.ts';

/** What can be seen from outside. */
export const inspectionRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'inspection' })({
  'inspect-holder': {
    title: 'inspect reports the key, its holder, mode, token and remaining time, from every provider',
    async check(context, one, two) {
      // Not the default ttl of anything.
      const claim = context.claim(context.key(), { ttl: Math.round(1.5 * context.longTtl) });
      const { token } = await mustGrant(one, claim, 'on a free key');
      for (const provider of [one, two]) {
        const state = await context.state(provider, claim.key, 'one holder', ({ holders }) => holders.length === 1);
        assert.equal(state.key, claim.key, `expected the state of ${show(claim.key)}, got that of ${show(state.key)}`);
        const [holder] = state.holders;
        assert.ok(holder !== undefined);
        assert.equal(holder.owner, claim.owner, `expected the owner ${show(claim.owner)}, got ${show(holder)}`);
        assert.equal(holder.mode, 'exclusive', `expected the mode exclusive, got ${show(holder)}`);
        if (context.traits.fencing !== 'none')
          assert.equal(holder.token, token, `expected the token ${token}, got ${show(holder)}`);
        mustRemain(context, holder, claim.ttl);
      }
      await mustFree(one, claim, 'by the holder');
    },
  },
  'inspect-sharers': {
    title: 'inspect shows every sharer, each with its own token and its own number of permits',
    when: ['shared'],
    async check(context, one, two) {
      const key = context.key();
      const numbers = [{ permits: 5 }, {}, { permits: 2_147_483_647 }];
      const sharers = numbers.map((number) => context.claim(key, { mode: 'shared', ...number }));
      const tokens = new Map<string, bigint>();
      for (const [index, claim] of sharers.entries()) {
        const { token } = await mustGrant(pick([one, two], index), claim, `for sharer ${index + 1} of five at least`);
        tokens.set(claim.owner, token);
      }
      const { holders } = await context.state(one, key, 'three holders', (state) => state.holders.length === 3);
      const owners = holders.map(({ owner }) => owner).toSorted();
      assert.deepEqual(
        owners,
        sharers.map(({ owner }) => owner).toSorted(),
        `expected the three sharers, got ${show(holders)}`,
      );
      for (const holder of holders) {
        assert.equal(holder.mode, 'shared', `expected the mode shared, got ${show(holder)}`);
        const permits = sharers.find(({ owner }) => owner === holder.owner)?.permits;
        assert.equal(holder.permits, permits, `expected ${permits ?? 'no'} permits, got ${show(holder)}`);
        if (context.traits.fencing !== 'none') {
          assert.equal(
            holder.token,
            tokens.get(holder.owner),
            `expected the token ${tokens.get(holder.owner)}, got ${show(holder)}`,
          );
        }
      }
      for (const [index, claim] of sharers.entries()) await mustFree(pick([one, two], index), claim, 'by a sharer');
    },
  },
  'inspect-waiters': {
    title: 'inspect counts the claims in the queue, and lists them in order if it lists any',
    when: ['fair'],
    async check(context, one, two) {
      const key = context.key();
      const holder = context.claim(key);
      await mustGrant(one, holder, 'on a free key');
      const other = context.traits.shared ? ({ mode: 'shared', permits: 3 } as const) : {};
      const waiters = [context.claim(key), context.claim(key, other), context.claim(key)];
      for (const [index, claim] of waiters.entries()) {
        await mustBeBusy(pick([one, two], index), claim, 'while it is held', () => {});
        const state = await context.state(
          two,
          key,
          `${index + 1} in the queue`,
          ({ waiters: count }) => count === index + 1,
        );
        mustName(state, waiters.slice(0, index + 1));
      }
      for (const [index, claim] of waiters.entries()) {
        await mustFreeNothing(pick([one, two], index), claim, 'by a waiter');
        const state = await context.state(
          one,
          key,
          `${2 - index} in the queue`,
          ({ waiters: count }) => count === 2 - index,
        );
        mustName(state, waiters.slice(index + 1));
      }
      await mustFree(one, holder, 'by the holder');
    },
  },
  'list-exact': {
    title: 'list returns the keys with a prefix that are held or waited for, and no others',
    when: ['list'],
    async check(context, one, two) {
      const u = context.unique();
      const prefixes = [u, `${u}[a]*`, `${u}/{x}`, `${u}%`];
      const held = [...prefixes, `${u}1`, `${u}[a]*2`, `${u}/{x}3`, `${u}a`, `${u}%41`, `x${u}`].map((key) =>
        context.claim(key),
      );
      for (const claim of held) await mustGrant(one, claim, 'on a free key');
      const gone = context.claim(`${u}gone`);
      await mustGrant(one, gone, 'on a free key');
      await mustFree(one, gone, 'by the holder');
      for (const prefix of prefixes) {
        const expected = held
          .map(({ key }) => key)
          .filter((key) => key.startsWith(prefix))
          .toSorted();
        const what = `list(${show(prefix)}) to give ${show(expected)}`;
        const matches = async (): Promise<boolean> => isDeepStrictEqual(await listed(two, prefix), expected);
        await context.eventually(what, matches);
      }
      for (const claim of held) await mustFree(one, claim, 'by the holder');
      await context.eventually(
        'list to give nothing after all releases',
        async () => (await listed(two, u)).length === 0,
      );
    },
  },
});

function mustRemain({ traits: { expiry }, patience }: Context, { remaining: left }: Holder, ttl: number): void {
  if (expiry === 'session' && left === undefined) return;
  const sound = left !== undefined && left > 0 && (expiry === 'session' || (left <= ttl && left > ttl - 2 * patience));
  assert.ok(sound, `expected nearly the whole ttl of ${ttl} ms to remain, got ${show(left)}`);
}

async function listed(provider: LockProvider, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of provider.list?.(prefix) ?? []) keys.push(key);
  return keys.toSorted();
}

/** The claims in the queue, if the store knows them. */
function mustName({ queue }: KeyState, waiters: readonly Claim[]): void {
  if (queue === undefined) return;
  const names = (some: readonly Waiter[]): readonly string[] =>
    some.map(({ owner, mode, permits = 'any' }) => `${owner} ${mode} of ${permits}`);
  assert.deepEqual(names(queue), names(waiters), `expected the queue ${show(names(waiters))}, got ${show(queue)}`);
}
