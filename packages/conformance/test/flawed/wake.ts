import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { LockProvider } from '@locks/core';
import { sound } from './textbook.ts';
import type { Entry } from './textbook.ts';
import { withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';

/** Replaces the callback that the store calls. */
const atWake =
  (change: (wake: () => void, owner: string) => () => void) =>
  (inner: LockProvider): Partial<LockProvider> => ({
    tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake && change(wake, claim.owner)),
  });

/** How long a place lasts, in ms, where its next sign of life makes a lost wake good. */
const soon = 3_000;

export const wakes: readonly Flaw[] = [
  {
    name: 'lost wake-up: wake is registered when the busy answer has come',
    caughtBy: ['wake-in-flight'],
    mayAlsoFail: ['wake-*', 'locks-shared', 'locks-wakes-spurious'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        let listening = false;
        const answer = await inner.tryAcquire(claim, wake && (() => listening && wake()));
        // SUBSCRIBE.
        await turn();
        listening = true;
        return answer;
      },
    })),
  },
  {
    name: 'a claim in the queue that was assigned the key frees it, if its last attempt came without wake',
    caughtBy: ['wake-after-head-leaves'],
    make: wrapped((inner) => {
      const repeated = new Map<string, boolean>();
      return {
        async tryAcquire(claim, wake) {
          const answer = await inner.tryAcquire(claim, wake);
          if (!answer.granted) repeated.set(claim.owner, wake === undefined && repeated.has(claim.owner));
          return answer;
        },
        async release(claim) {
          const { holders } = await inner.inspect(claim.key);
          const freed = await inner.release(claim);
          return freed || (holders.length === 0 && repeated.get(claim.owner) === true);
        },
      };
    }),
  },
  {
    name: 'wake never comes',
    caughtBy: ['wake-after-release', 'wake-chain'],
    mayAlsoFail: ['*'],
    make: wrapped(atWake(() => () => {})),
  },
  {
    name: 'wake is called within release',
    caughtBy: ['wake-never-synchronous'],
    mayAlsoFail: ['wake-ends-with-release'],
    make: () => {
      const waiting = new Set<() => void>();
      const make = wrapped((inner) => ({
        tryAcquire(claim, wake) {
          if (wake !== undefined) waiting.add(wake);
          return inner.tryAcquire(claim, wake);
        },
        release(claim) {
          for (const wake of waiting) wake();
          return inner.release(claim);
        },
      }));
      return make();
    },
  },
  {
    name: 'the first callback of an owner counts',
    caughtBy: ['wake-latest-callback'],
    make: wrapped((inner) => {
      const first = new Map<string, () => void>();
      return {
        tryAcquire(claim, wake) {
          if (wake !== undefined && !first.has(claim.owner)) first.set(claim.owner, wake);
          return inner.tryAcquire(claim, wake && first.get(claim.owner));
        },
      };
    }),
  },
  {
    name: 'a repeat without wake forgets the callback',
    caughtBy: ['wake-latest-callback'],
    make: wrapped((inner) => {
      const latest = new Map<string, (() => void) | undefined>();
      return {
        tryAcquire(claim, wake) {
          latest.set(claim.owner, wake);
          return inner.tryAcquire(claim, wake && (() => latest.get(claim.owner)?.()));
        },
      };
    }),
  },
  {
    name: 'a claim that was released is woken',
    caughtBy: ['wake-ends-with-release'],
    make: wrapped((inner) => {
      const ever = new Set<() => void>();
      return {
        tryAcquire(claim, wake) {
          if (wake !== undefined) ever.add(wake);
          return inner.tryAcquire(claim, wake && (() => ever.forEach((each) => each())));
        },
      };
    }),
  },
  {
    name: 'the subscription of a claim stays when it is released',
    caughtBy: ['wake-forgotten'],
    make: () => {
      const channel = new EventEmitter().setMaxListeners(0);
      return wrapped((inner) => ({
        tryAcquire(claim, wake) {
          if (wake !== undefined) channel.on(claim.key, wake);
          return inner.tryAcquire(claim, wake);
        },
      }))();
    },
  },
  {
    name: 'no waiter is woken when the first in the queue gives up',
    caughtBy: ['wake-after-head-leaves'],
    make: withRules({
      toTell: (entry, operation, admits) =>
        operation === 'give-up' ? undefined : sound.toTell(entry, operation, admits),
    }),
  },
  {
    name: 'one of several sharers in the queue is woken',
    caughtBy: ['wake-admits-sharers', 'downgrade-admits-sharers'],
    mayAlsoFail: ['wake-behind-a-leaver', 'downgrade-admits-sharers', 'fair-writer-not-starved'],
    make: withRules({
      toTell: (entry, operation, admits) =>
        operation === 'acquire' ? undefined : sound.toTell(entry, operation, admits),
    }),
  },
  {
    name: 'a downgrade wakes no waiter',
    caughtBy: ['downgrade-admits-sharers'],
    make: () => {
      const downgraded = new WeakSet<Entry>();
      return withRules({
        placeTtl: soon,
        repeat: (hold, claim, now, entry) => {
          if (hold.mode !== claim.mode) downgraded.add(entry);
          sound.repeat(hold, claim, now, entry);
        },
        toTell: (entry, operation, admits) =>
          downgraded.delete(entry) ? undefined : sound.toTell(entry, operation, admits),
      })();
    },
  },
  {
    name: 'the release of a share wakes no waiter, while others hold shares',
    caughtBy: ['wake-after-share'],
    mayAlsoFail: ['locks-take'],
    make: withRules({
      placeTtl: soon,
      toTell: (entry, operation, admits) =>
        operation === 'release' && entry.holds.length > 0 ? undefined : sound.toTell(entry, operation, admits),
    }),
  },
  {
    name: 'a waiter that gives up wakes no other, while the key is held',
    caughtBy: ['wake-behind-a-leaver'],
    make: withRules({
      placeTtl: soon,
      toTell: (entry, operation, admits) =>
        operation === 'give-up' && entry.holds.length > 0 ? undefined : sound.toTell(entry, operation, admits),
    }),
  },
];
