import type { Busy, Claim, LockProvider } from '@locks/core';
import { LockError, isLockError } from '@locks/core';
import { client, connection } from './flaw.ts';
import type { FaultFlaw } from './flaw.ts';
import { ids } from '../../support/mutants.ts';

/** `call`, or what a flawed provider makes of a rejection that means "unknown". */
export async function orElse<T>(call: Promise<T>, otherwise: (error: unknown) => T | Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    return await otherwise(error);
  }
}

const busy: Busy = { granted: false };

/** On a loaded machine the attempt of any requirement may be without an answer. */
const whereAttemptsAre = ['sever-*', 'lost-reply-*', 'duplicate-*', 'restart-*', 'locks-*'];

/** The unknown is told as something certain. */
export const unknowns: readonly FaultFlaw[] = [
  {
    name: 'a lost reply of an attempt is taken for contention',
    caughtBy: ids(
      'lost-reply-of-attempt silence-is-unknown pause-is-unknown locks-dropped-reply-of-try',
      'locks-pause-callers',
    ),
    mayAlsoFail: whereAttemptsAre,
    make: client((inner) => ({ tryAcquire: (claim, wake) => orElse(inner.tryAcquire(claim, wake), () => busy) })),
  },
  {
    name: 'an attempt whose reply was lost is called never sent',
    caughtBy: ['lost-reply-of-attempt'],
    mayAlsoFail: whereAttemptsAre,
    make: client((inner) => ({
      tryAcquire: (claim, wake) =>
        orElse(inner.tryAcquire(claim, wake), () => {
          throw new LockError('LOCK_UNAVAILABLE', 'There is no connection.', { sent: false });
        }),
    })),
  },
  {
    name: 'an attempt without an answer is granted',
    caughtBy: ['silence-is-unknown', 'pause-is-unknown', 'locks-silence-callers', 'locks-pause-callers'],
    mayAlsoFail: whereAttemptsAre,
    make: client((inner) => ({
      tryAcquire: (claim, wake) => orElse(inner.tryAcquire(claim, wake), () => ({ granted: true, token: 1n })),
    })),
  },
  {
    name: 'a renewal without an answer is taken for a loss',
    caughtBy: ['lost-reply-of-renewal', 'silence-is-unknown', 'pause-is-unknown', 'locks-dropped-reply'],
    mayAlsoFail: ['lost-reply-of-renewal-counts', 'locks-sever-lease', 'locks-restart-lease'],
    make: client((inner) => ({ renew: (claim, token) => orElse(inner.renew(claim, token), () => false) })),
  },
  {
    name: 'a renewal without an answer is taken for a success',
    ttl: 600,
    caughtBy: ['silence-is-unknown', 'pause-is-unknown', 'locks-silence-loss'],
    mayAlsoFail: ['locks-*'],
    // The answer must come while the lease is held.
    make: client((inner) => ({ renew: (claim, token) => orElse(inner.renew(claim, token), () => ({})) }), {
      timeout: 50,
    }),
  },
  {
    name: 'the first release after a cut is sent again when its reply is lost, and the second answer is told',
    caughtBy: ['lost-reply-of-release-while-reconnecting'],
    make: client((inner, link) => {
      let known = link.connections;
      return {
        async release(claim) {
          const first = known !== link.connections;
          known = link.connections;
          return await orElse(inner.release(claim), (error) => {
            if (!first) throw error;
            return inner.release(claim);
          });
        },
      };
    }),
  },
  {
    name: 'a release without an answer is answered with false',
    caughtBy: ['silence-is-unknown', 'pause-is-unknown', 'lost-reply-of-release'],
    mayAlsoFail: ids('locks-sever-* locks-silence-* locks-pause-callers lost-reply-of-release-while-reconnecting'),
    make: client((inner) => ({ release: (claim) => orElse(inner.release(claim), () => false) })),
  },
  {
    name: 'a release without an answer is answered with true',
    caughtBy: ['silence-is-unknown', 'pause-is-unknown', 'locks-sever-release'],
    mayAlsoFail: ['sever-*', 'locks-sever-*', 'locks-silence-*', 'locks-pause-callers'],
    make: client((inner) => ({ release: (claim) => orElse(inner.release(claim), () => true) })),
  },
  {
    name: 'a key without an answer is free',
    caughtBy: ['silence-is-unknown', 'pause-is-unknown', 'locks-silence-timeout'],
    make: client((inner) => ({
      inspect: (key) => orElse(inner.inspect(key), () => ({ key, holders: [], waiters: 0 })),
    })),
  },
  {
    name: 'a connection that was cut is said to be closed for good',
    caughtBy: ['sever-in-flight', 'silence-is-unknown', 'pause-is-unknown'],
    mayAlsoFail: ['sever-*', 'lost-reply-*', 'restart-*', 'empty-*', 'duplicate-*', 'locks-*'],
    make: client((inner) => {
      const forGood = (): never => {
        throw new LockError('LOCK_CLOSED', 'The connection is closed.');
      };
      return {
        tryAcquire: (claim, wake) => orElse(inner.tryAcquire(claim, wake), forGood),
        renew: (claim, token) => orElse(inner.renew(claim, token), forGood),
      };
    }),
  },
  {
    name: 'a sign of life of one claim keeps the places of its provider, also those whose release was lost',
    caughtBy: ['silence-ends-place'],
    mayAlsoFail: ['sever-*', 'silence-is-unknown', 'locks-*'],
    make: connection({ wrap: keepingPlaces }, { placeTtl: 1_000 }),
  },
  {
    name: 'it waits for ever when there is no answer',
    caughtBy: ['silence-is-unknown', 'pause-is-unknown', 'locks-silence-callers'],
    mayAlsoFail: ['locks-*'],
    make: connection({ timeout: Infinity }),
  },
  {
    name: 'attempts without an answer are kept, and sent when the queue is free',
    caughtBy: ['sever-in-flight', 'silence-is-unknown', 'pause-is-unknown'],
    mayAlsoFail: whereAttemptsAre,
    make: client((inner) => {
      const kept = new Set<Claim>();
      return {
        tryAcquire: (claim, wake) =>
          orElse(inner.tryAcquire(claim, wake), (error) => {
            kept.add(claim);
            throw error;
          }),
        async release(claim) {
          const freed = await inner.release(claim);
          for (const late of kept) inner.tryAcquire(late).catch(() => {});
          kept.clear();
          return freed;
        },
      };
    }),
  },
];

/** What every call of `inner` goes through. */
export function guarded(inner: LockProvider, guard: <T>(call: () => Promise<T>) => Promise<T>): Partial<LockProvider> {
  return {
    tryAcquire: (claim, wake) => guard(() => inner.tryAcquire(claim, wake)),
    renew: (claim, token) => guard(() => inner.renew(claim, token)),
    release: (claim) => guard(() => inner.release(claim)),
    inspect: (key) => guard(() => inner.inspect(key)),
  };
}

/** One sign of life for all claims that were not certainly released. */
function keepingPlaces(inner: LockProvider): Partial<LockProvider> {
  const places = new Map<string, { readonly claim: Claim; readonly wake: () => void }>();
  return {
    async tryAcquire(claim, wake) {
      if (wake !== undefined) places.set(claim.owner, { claim, wake });
      const answer = await inner.tryAcquire(claim, wake);
      if (answer.granted) places.delete(claim.owner);
      for (const { claim: other, wake: wakeOther } of wake === undefined ? [] : places.values()) {
        if (other.owner !== claim.owner) inner.tryAcquire(other, wakeOther).catch(() => {});
      }
      return answer;
    },
    async release(claim) {
      const freed = await inner.release(claim);
      places.delete(claim.owner);
      return freed;
    },
  };
}
