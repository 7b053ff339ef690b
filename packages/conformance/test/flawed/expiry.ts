import type { Claim, LockProvider } from '@locks/core';
import { withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { sound } from './textbook.ts';
import { ids } from '../support/mutants.ts';

const atTtl = (change: (ttl: number) => number) => (inner: LockProvider) => {
  const changed = (claim: Claim): Claim => ({ ...claim, ttl: change(claim.ttl) });
  return {
    tryAcquire: (claim: Claim, wake?: () => void) => inner.tryAcquire(changed(claim), wake),
    renew: (claim: Claim, token?: bigint) => inner.renew(changed(claim), token),
  };
};

/** A flaw that shows only within a ttl needs one that a loaded machine can look into. */
const calm = () => ({ ttl: 600 });

export const expiry: readonly Flaw[] = [
  {
    name: 'only who is first in the queue when it asks is told when the holder expires',
    caughtBy: ['expiry-next-in-queue'],
    mayAlsoFail: ['place-*', 'locks-wakes-order'],
    make: wrapped((inner, store) => ({
      async tryAcquire(claim, wake) {
        const answer = await inner.tryAcquire(claim, wake);
        const head = store.get(claim.key)?.queue[0];
        const looks = answer.granted || head === undefined || head.owner === claim.owner;
        return looks ? answer : { granted: false, retryAfter: 60_000 };
      },
    })),
  },
  {
    name: 'a hold never expires',
    caughtBy: ['expiry-on-time', 'expiry-ends-the-hold', 'expiry-waiter-takes-over'],
    mayAlsoFail: ids(
      'expiry-* renew-restarts-ttl',
      'inspect-holder close-settles-calls',
      'close-in-mid-attempt locks-silent-backend renew-own-share',
    ),
    make: wrapped(atTtl((ttl) => ttl * 10_000)),
  },
  {
    name: 'a hold expires after half its ttl',
    caughtBy: ['expiry-on-time', 'renew-restarts-ttl'],
    options: calm,
    mayAlsoFail: ['expiry-*', 'inspect-holder', 'locks-*'],
    make: wrapped(atTtl((ttl) => ttl / 2)),
  },
  {
    name: 'a repeat does not restart the ttl',
    caughtBy: ['renew-restarts-ttl'],
    options: calm,
    make: withRules({
      repeat: (hold, claim, now, entry) => {
        const { expires } = hold;
        sound.repeat(hold, claim, now, entry);
        hold.expires = expires;
      },
    }),
  },
  {
    name: 'renew does not restart the ttl',
    caughtBy: ['renew-restarts-ttl', 'locks-renewal'],
    mayAlsoFail: ['locks-short-ttl', 'locks-unknown-renewal'],
    options: calm,
    make: withRules({ renew: () => {} }),
  },
  {
    name: 'a renewal never shortens a hold',
    caughtBy: ['renew-shortens', 'locks-at-least', 'locks-lock-delay'],
    make: withRules({ renew: (hold, { ttl }, now) => (hold.expires = Math.max(hold.expires, now + ttl)) }),
  },
  {
    name: 'a waiter looks when a hold was to end, and hears of no earlier end',
    caughtBy: ['renew-shortens'],
    mayAlsoFail: ['place-*', 'expiry-*', 'locks-wakes-order'],
    make: withRules({ placeTtl: 60_000, renew: (hold, { ttl }, now) => (hold.expires = now + ttl) }),
  },
  {
    name: 'a waiter looks when a hold was to end, and hears of no earlier end of a repeat',
    caughtBy: ['renew-shortens'],
    mayAlsoFail: ['place-*', 'expiry-*', 'locks-wakes-order'],
    make: withRules({
      placeTtl: 60_000,
      repeat: (hold, claim, now, entry) => sound.repeat(hold, claim, now, { ...entry, queue: [] }),
    }),
  },
  {
    name: 'SETNX then EXPIRE: two steps',
    caughtBy: ['close-in-mid-attempt'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const answer = await inner.tryAcquire({ ...claim, ttl: 86_400_000 }, wake);
        if (answer.granted) await inner.renew(claim);
        return answer;
      },
    })),
  },
  {
    name: 'time is that of the process',
    caughtBy: ['time-of-store'],
    make: () => {
      let hours = 0;
      return wrapped(() => {
        const ahead = 3_600_000 * (hours += 1);
        return { time: async () => Date.now() + ahead };
      })();
    },
  },
  {
    name: 'time is in seconds',
    caughtBy: ['time-of-store'],
    make: wrapped(() => ({ time: async () => Date.now() / 1_000 })),
  },
  {
    name: 'an attempt of another owner restarts the ttl of the holder',
    caughtBy: ['expiry-on-time'],
    mayAlsoFail: ['expiry-*', 'renew-restarts-ttl', 'renew-own-share'],
    make: withRules({
      inTurn: (entry, claim) => {
        for (const hold of entry.holds) hold.expires += claim.ttl;
        return sound.inTurn(entry, claim);
      },
    }),
  },
  {
    name: 'the holder itself is busy when it repeats its claim (SET NX alone)',
    caughtBy: ['repeat-same-token'],
    mayAlsoFail: ids('repeat-* renew-* downgrade-* upgrade-refused token-exact token-end locks-repeats-its-claim'),
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const { holders } = await inner.inspect(claim.key);
        return holders.some(({ owner }) => owner === claim.owner)
          ? { granted: false }
          : await inner.tryAcquire(claim, wake);
      },
    })),
  },
  {
    name: 'validity is reported twice as long as the store keeps the hold',
    caughtBy: ['expiry-on-time', 'locks-loss-before-expiry'],
    mayAlsoFail: ['renew-restarts-ttl', 'locks-late-grant', 'locks-outage-of-renewals', 'locks-late-renewal'],
    options: calm,
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const answer = await inner.tryAcquire(claim, wake);
        return answer.granted ? { ...answer, validity: claim.ttl * 2 } : answer;
      },
    })),
  },
  {
    name: 'a session provider whose renewals count from when it sends them',
    caughtBy: ['validity-from-the-call'],
    alone: true,
    make: wrapped(({ traits, tryAcquire, renew }) => {
      let until = 0;
      return {
        traits: { ...traits, expiry: 'session' },
        async tryAcquire(claim, wake) {
          const answer = await tryAcquire(claim, wake);
          if (!answer.granted) return answer;
          until = performance.now() + claim.ttl;
          return { ...answer, validity: claim.ttl };
        },
        async renew(claim, token) {
          await new Promise(setImmediate);
          const sentAt = performance.now();
          return (await renew(claim, token)) && { validity: until - sentAt };
        },
      };
    }),
  },
  {
    name: 'a session provider that does not report validity',
    caughtBy: ['validity-reported'],
    make: wrapped(({ traits }) => ({ traits: { ...traits, expiry: 'session' } })),
  },
];
