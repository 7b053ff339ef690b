import type { Claim } from '@locks/core';
import { wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';

export const handedOver: readonly Flaw[] = [
  {
    name: 'a provider ends what it granted a ttl ago, and did not renew: another process may have',
    caughtBy: ['locks-transfer-giver'],
    mayAlsoFail: ['locks-rest*', 'locks-once*'],
    make: wrapped((inner) => {
      const granted = new Map<string, { readonly claim: Claim; readonly until: number }>();
      const note = (claim: Claim): void =>
        void granted.set(claim.owner, { claim, until: performance.now() + claim.ttl });
      return {
        async tryAcquire(claim, wake) {
          for (const [owner, { claim: ended, until }] of granted) {
            if (performance.now() < until) continue;
            granted.delete(owner);
            await inner.release(ended);
          }
          const answer = await inner.tryAcquire(claim, wake);
          if (answer.granted) note(claim);
          return answer;
        },
        async renew(claim, token) {
          const renewal = await inner.renew(claim, token);
          if (renewal !== false) note(claim);
          return renewal;
        },
        async release(claim) {
          granted.delete(claim.owner);
          return await inner.release(claim);
        },
      };
    }),
  },
];
