import type { LockProvider } from '@locks/core';
import { createNetwork, memoryData } from '../../support/network.ts';
import { registersIn } from '../textbook.ts';
import { bound } from '../../bound.ts';
import { mintingRepeat } from '../tokens.ts';
import { client, forgetful, server, store } from './flaw.ts';
import type { FaultFlaw } from './flaw.ts';

/** Repeats, late replies and restarts. */
export const stores: readonly FaultFlaw[] = [
  {
    name: 'a repeat mints a token, behind a network',
    caughtBy: ['lost-reply-of-attempt', 'sever-keeps-hold', 'duplicate-attempt'],
    mayAlsoFail: ['restart-exclusion', 'lost-reply-of-sharer'],
    make: store({ repeat: mintingRepeat }),
  },
  {
    name: 'a repeat is another hold: it takes as many releases',
    caughtBy: ['lost-reply-of-attempt', 'duplicate-attempt'],
    mayAlsoFail: ['sever-*', 'lost-reply-of-sharer', 'restart-exclusion', 'locks-*'],
    make: server(countHolds),
  },
  {
    name: 'a sharer that repeats takes another permit',
    caughtBy: ['lost-reply-of-sharer', 'duplicate-sharer'],
    mayAlsoFail: ['sever-keeps-hold'],
    make: server((inner) => {
      let count = 0;
      const names = new Map<string, string[]>();
      return {
        tryAcquire(claim, wake) {
          if (claim.mode === 'exclusive') return inner.tryAcquire(claim, wake);
          const owner = `${claim.owner}~${(count += 1)}`;
          names.set(claim.owner, [...(names.get(claim.owner) ?? []), owner]);
          return inner.tryAcquire({ ...claim, owner }, wake);
        },
        async release(claim) {
          const [owner, ...rest] = names.get(claim.owner) ?? [claim.owner];
          names.set(claim.owner, rest);
          return await inner.release({ ...claim, owner: owner ?? claim.owner });
        },
      };
    }),
  },
  {
    name: 'a release that is repeated goes by the key, not by the owner',
    caughtBy: ['lost-reply-of-release', 'duplicate-release'],
    mayAlsoFail: ['duplicate-*', 'locks-*', 'sever-*'],
    make: server((inner) => {
      const released = new Set<string>();
      return {
        async release(claim) {
          if (!released.has(claim.owner)) {
            released.add(claim.owner);
            return await inner.release(claim);
          }
          const { holders } = await inner.inspect(claim.key);
          const owner = holders[0]?.owner ?? claim.owner;
          return await inner.release({ ...claim, owner });
        },
      };
    }),
  },
  {
    name: 'who is in the queue and arrives again is in the queue twice',
    caughtBy: ['duplicate-place', 'lost-reply-of-place'],
    mayAlsoFail: ['sever-*', 'restart-waiters', 'locks-*', 'silence-*'],
    make: store({ enqueue: ({ queue }, place) => void queue.push(place) }),
  },
  {
    name: 'who is in the queue and arrives again goes to its end',
    caughtBy: ['sever-keeps-place', 'lost-reply-of-place'],
    mayAlsoFail: ['duplicate-place', 'locks-*'],
    make: store({
      enqueue(entry, place) {
        entry.queue = entry.queue.filter(({ owner }) => owner !== place.owner);
        entry.queue.push(place);
      },
    }),
  },
  {
    name: 'validity counts from the reply',
    caughtBy: ['locks-delay-validity', 'locks-delay-late-grant'],
    mayAlsoFail: ['locks-*'],
    // The answer must come before the caller is told that there is none.
    make: client(
      (inner) => ({
        async tryAcquire(claim, wake) {
          const sentAt = performance.now();
          const answer = await inner.tryAcquire(claim, wake);
          return answer.granted ? { ...answer, validity: claim.ttl + performance.now() - sentAt } : answer;
        },
      }),
      { timeout: 600 },
    ),
  },
  {
    name: 'the validity of a renewal counts from the reply',
    caughtBy: ['locks-delay-validity'],
    mayAlsoFail: ['locks-*'],
    make: client((inner) => ({
      async renew(claim, token) {
        const sentAt = performance.now();
        const renewal = await inner.renew(claim, token);
        return renewal && { validity: claim.ttl + performance.now() - sentAt };
      },
    })),
  },
  {
    name: 'tokens start again with an empty store',
    caughtBy: ['empty-restart-tokens', 'locks-empty-restart-loss'],
    make: forgetful(() => {}, {}),
  },
  {
    name: 'the counter is not on disk, and there is no clock in it',
    caughtBy: ['restart-tokens', 'empty-restart-tokens'],
    mayAlsoFail: ['locks-empty-restart-loss'],
    make: forgetful((kept) => {
      for (const entry of kept.values()) if (entry.holds.length === 0) entry.token = 0n;
    }, {}),
  },
  {
    name: 'holds are not on disk, and holders go on for a while',
    caughtBy: ['locks-restart-lease'],
    mayAlsoFail: ['restart-*'],
    make: forgetful((kept) => {
      for (const entry of kept.values()) entry.holds = [];
    }),
  },
  {
    name: 'registers are not on disk, and holds are',
    caughtBy: ['restart-registers'],
    make: forgetful((kept) => registersIn(kept).clear()),
  },
  {
    name: 'a renewal takes a key that is free: the holder never learns that the store lost its hold',
    caughtBy: ['locks-empty-restart-loss'],
    mayAlsoFail: ['locks-*'],
    make: () =>
      createNetwork(() => {
        const { open } = memoryData();
        return {
          open() {
            const inner = open();
            return { ...bound(inner), renew: async (claim) => ((await inner.tryAcquire(claim)).granted ? {} : false) };
          },
        };
      }),
  },
];

/** Every grant of an owner counts, those whose reply was lost too. */
function countHolds(inner: LockProvider): Partial<LockProvider> {
  const holds = new Map<string, number>();
  return {
    async tryAcquire(claim, wake) {
      const answer = await inner.tryAcquire(claim, wake);
      if (answer.granted) holds.set(claim.owner, (holds.get(claim.owner) ?? 0) + 1);
      return answer;
    },
    async release(claim) {
      const left = (holds.get(claim.owner) ?? 1) - 1;
      holds.set(claim.owner, left);
      return left > 0 ? true : await inner.release(claim);
    },
  };
}
