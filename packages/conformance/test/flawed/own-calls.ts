import type { Busy } from '@locks/core';
import { wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';

type Call = 'tryAcquire' | 'renew' | 'release';

/** As a compare-and-set that lost to another call of its owner, and is not repeated. */
function turnsAway(name: Call, answer: false | Busy): Flaw['make'] {
  return wrapped((inner) => {
    const underWay = new Map<string, number>();
    const alone = async <T>(call: Call, owner: string, act: () => Promise<T>): Promise<T> => {
      const others = underWay.get(owner) ?? 0;
      if (call === name && others > 0) return answer as T;
      underWay.set(owner, others + 1);
      try {
        return await act();
      } finally {
        underWay.set(owner, (underWay.get(owner) ?? 1) - 1);
      }
    };
    return {
      tryAcquire: (claim, wake) => alone('tryAcquire', claim.owner, () => inner.tryAcquire(claim, wake)),
      renew: (claim, token) => alone('renew', claim.owner, () => inner.renew(claim, token)),
      release: (claim) => alone('release', claim.owner, () => inner.release(claim)),
    };
  });
}

/** Of calls of one owner at once. */
export const ownCalls: readonly Flaw[] = [
  {
    name: 'an attempt is busy while another call of its owner is under way',
    caughtBy: ['own-attempts-at-once'],
    mayAlsoFail: ['own-*'],
    make: turnsAway('tryAcquire', { granted: false }),
  },
  {
    name: 'a renewal returns false while another call of its owner is under way',
    caughtBy: ['own-renewals-at-once'],
    mayAlsoFail: ['own-*'],
    make: turnsAway('renew', false),
  },
  {
    name: 'a release returns false while another call of its owner is under way',
    caughtBy: ['own-release-at-once'],
    mayAlsoFail: ['own-*'],
    make: turnsAway('release', false),
  },
];
