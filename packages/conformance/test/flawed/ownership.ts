import { setImmediate as turn } from 'node:timers/promises';
import { withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { createTextbook } from './textbook.ts';
import { ids } from '../support/mutants.ts';

export const ownership: readonly Flaw[] = [
  {
    name: 'delete without owner check: release deletes the hold of any owner',
    caughtBy: ['release-only-own', 'stale-after-takeover'],
    mayAlsoFail: ids(
      'repeat-shared release-* stale-* permits-* shared-* downgrade-*',
      'upgrade-refused abandon* wake-* fair-* token-of-sharers names-* owners-verbatim inspect-*',
      'locks-* renew-own-share',
    ),
    make: withRules({ mayRelease: () => true }),
  },
  {
    name: 'release returns true whatever happened',
    caughtBy: ['release-frees', 'release-only-own', 'release-counts-once'],
    mayAlsoFail: ids(
      'release-* expiry-ends-the-hold stale-* renew-does-not-take wake-ends-with-release',
      'wake-after-head-leaves wake-after-release token-increases names-odd owners-verbatim inspect-waiters',
      'locks-unknown-attempt-given-up',
    ),
    make: wrapped((inner) => ({ release: async (claim) => (await inner.release(claim)) || true })),
  },
  {
    name: 'get-then-delete: release looks at the owner, then deletes, in two steps',
    caughtBy: ['release-atomic'],
    mayAlsoFail: ids(
      'release-counts-once repeat-shared',
      'permits-* shared-* downgrade-* upgrade-refused wake-admits-sharers fair-writer-not-starved',
      'token-of-sharers names-odd inspect-sharers locks-shared abandon* release-forced-share',
      'renew-own-share',
    ),
    make: () => {
      let calls = 0;
      return wrapped((inner, store) => {
        const blind = createTextbook(store, { mayRelease: () => true });
        return {
          async release(claim) {
            const { holders } = await inner.inspect(claim.key);
            if (!holders.some(({ owner }) => owner === claim.owner)) return await inner.release(claim);
            // Some clients are slower than others between GET and DEL.
            for (let turns = (calls += 1) % 10; turns > 0; turns -= 1) await turn();
            return await blind.release(claim);
          },
        };
      })();
    },
  },
  {
    name: 'renew returns true for an owner that does not hold the key',
    caughtBy: ['renew-only-own', 'stale-after-takeover'],
    mayAlsoFail: ['stale-*', 'renew-raises-token', 'owners-verbatim', 'release-forced-share'],
    make: wrapped((inner) => ({
      async renew(claim, token) {
        const { holders } = await inner.inspect(claim.key);
        return (await inner.renew(claim, token)) || (holders.length > 0 && {});
      },
    })),
  },
  {
    name: 'renew takes a free key',
    caughtBy: ['renew-does-not-take', 'expiry-ends-the-hold'],
    mayAlsoFail: ['release-forced', 'renew-only-own', 'locks-loss-*'],
    make: wrapped((inner) => ({
      async renew(claim, token) {
        const renewal = await inner.renew(claim, token);
        const { holders } = await inner.inspect(claim.key);
        if (renewal !== false || holders.length > 0) return renewal;
        const answer = await inner.tryAcquire(claim);
        return answer.granted && {};
      },
    })),
  },
  {
    name: 'owners are compared without regard to case',
    caughtBy: ['owners-verbatim'],
    mayAlsoFail: ['locks-*'],
    make: wrapped((inner) => ({
      tryAcquire: (claim, wake) => inner.tryAcquire({ ...claim, owner: claim.owner.toLowerCase() }, wake),
      renew: (claim, token) => inner.renew({ ...claim, owner: claim.owner.toLowerCase() }, token),
      release: (claim) => inner.release({ ...claim, owner: claim.owner.toLowerCase() }),
    })),
  },
  {
    name: 'a release by a waiter does not give up its place',
    caughtBy: ['release-position-in-the-queue', 'locks-timeout'],
    mayAlsoFail: ids(
      'fair-beside-other-calls expiry-next-in-queue abandon* wake-*',
      'fair-order-after-abandon inspect-waiters names-odd locks-*',
    ),
    make: withRules({ leave: () => {} }),
  },
];
