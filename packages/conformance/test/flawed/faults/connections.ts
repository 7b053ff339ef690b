import { LockError } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import { clockMint, createNetwork } from '../../support/network.ts';
import type { Data } from '../../support/server.ts';
import { createTextbook } from '../textbook.ts';
import type { Store } from '../textbook.ts';
import { client, connection } from './flaw.ts';
import type { FaultFlaw } from './flaw.ts';
import { guarded } from './unknown.ts';

/** A cut connection takes something along. */
export const connections: readonly FaultFlaw[] = [
  {
    name: 'after a cut it does not connect again',
    caughtBy: ['sever-calls-work-again', 'sever-in-flight'],
    mayAlsoFail: ['sever-*', 'lost-reply-*', 'silence-*', 'restart-*', 'empty-*', 'locks-*'],
    make: client((inner, link) =>
      guarded(inner, async (call) => {
        if (link.connections > 1) throw new LockError('LOCK_UNAVAILABLE', 'The connection is lost.');
        return await call();
      }),
    ),
  },
  {
    name: 'calls that wait to be sent are forgotten when their connection ends',
    caughtBy: ['sever-many-in-flight', 'sever-many-attempts'],
    mayAlsoFail: ['locks-sever-aborts'],
    make: afterMany(() => {}),
  },
  {
    name: 'attempts that wait to be sent are forgotten when their connection ends',
    caughtBy: ['sever-many-attempts'],
    mayAlsoFail: ['locks-sever-aborts'],
    make: afterMany(() => {}, 'tryAcquire'),
  },
  {
    name: 'releases that wait to be sent return false when their connection ends',
    caughtBy: ['locks-sever-aborts'],
    make: afterMany((answer) => answer(false), 'release'),
  },
  {
    name: 'a hold belongs to its connection: the next one has another name',
    caughtBy: ['sever-keeps-hold', 'lost-reply-of-attempt'],
    mayAlsoFail: ['sever-*', 'lost-reply-*', 'silence-*', 'restart-*', 'empty-*', 'locks-*'],
    make: client((inner, link) => {
      const named = (claim: Claim): Claim => ({ ...claim, owner: `${claim.owner}~${link.connections}` });
      return {
        tryAcquire: (claim, wake) => inner.tryAcquire(named(claim), wake),
        renew: (claim, token) => inner.renew(named(claim), token),
        release: (claim) => inner.release(named(claim)),
      };
    }),
  },
  {
    name: 'a cut ends the holds of its connection, and they are not told',
    caughtBy: ['sever-keeps-hold', 'locks-sever-lease'],
    mayAlsoFail: ['sever-*', 'lost-reply-of-renewal*', 'silence-*', 'locks-*'],
    make: endsWithConnection((claim, granted) => granted && claim.mode === 'exclusive'),
  },
  {
    name: 'a cut ends the positions in the queue of its connection',
    caughtBy: ['sever-keeps-place'],
    mayAlsoFail: ['lost-reply-of-place'],
    make: endsWithConnection((_claim, granted) => !granted),
  },
  {
    name: 'a cut turns the positions in the queue of its connection round',
    caughtBy: ['sever-own-order'],
    mayAlsoFail: ['sever-keeps-place', 'sever-again-and-again', 'lost-reply-of-place', 'silence-is-unknown', 'locks-*'],
    make: endsWithConnection(
      (_claim, granted) => !granted,
      async (claims, directly) => {
        for (const claim of claims) await directly.release(claim);
        for (const claim of claims.toReversed()) await directly.tryAcquire(claim, () => {});
      },
    ),
  },
  {
    name: 'after a cut the waiters from before are not woken',
    caughtBy: ['sever-wakes', 'silence-wakes', 'empty-restart-waiters'],
    mayAlsoFail: ['sever-*', 'lost-reply-of-place', 'restart-waiters', 'locks-*'],
    // Places that lapse would make each waiter ask again, and so find the store that lost them.
    make: connection({ wakesAfterInterruption: false }, { placeTtl: Infinity }),
  },
  {
    name: 'after a cut the waiters from before are not woken, and ask again only to keep their places',
    caughtBy: ['sever-wakes', 'silence-wakes'],
    mayAlsoFail: ['sever-*', 'lost-reply-of-place', 'restart-waiters', 'empty-restart-waiters', 'locks-*'],
    make: connection({ wakesAfterInterruption: false }),
  },
];

/** A store that does `end` to what a connection has when it ends, as far as `ends` says. */
function endsWithConnection(
  ends: (claim: Claim, granted: boolean) => boolean,
  end = async (claims: readonly Claim[], directly: LockProvider): Promise<void> => {
    for (const claim of claims) await directly.release(claim);
  },
): FaultFlaw['make'] {
  return () => {
    let directly: LockProvider;
    const createData = (): Data => {
      const store: Store = new Map();
      directly = createTextbook(store);
      return { open: () => createTextbook(store, { mint: clockMint }) };
    };
    return createNetwork(createData, {
      wrap(inner, link) {
        const has = new Map<string, Claim>();
        link.onCut = () => {
          void end([...has.values()], directly);
        };
        return {
          async tryAcquire(claim, wake) {
            const answer = await inner.tryAcquire(claim, wake);
            if (ends(claim, answer.granted)) has.set(claim.owner, claim);
            else has.delete(claim.owner);
            return answer;
          },
        };
      },
    });
  };
}

/**
 * A client with 256 calls under way at most. `end` is what becomes of one that waits for its turn
 * when the connection ends: it answers, or the call never settles.
 */
function afterMany(end: (answer: (value: false) => void) => void, only?: 'tryAcquire' | 'release'): FaultFlaw['make'] {
  return client((inner, link) => {
    const most = 256;
    const waiting: { readonly send: () => void; readonly answer: (value: false) => void }[] = [];
    let underWay = 0;
    link.onCut = () => {
      for (const { answer } of waiting.splice(0)) end(answer);
    };
    const limited = guarded(inner, async (call) => {
      if (underWay >= most) {
        const early = await new Promise<false | undefined>((resolve) =>
          waiting.push({ send: () => resolve(undefined), answer: resolve }),
        );
        if (early === false) return early as never;
      }
      underWay += 1;
      try {
        return await call();
      } finally {
        underWay -= 1;
        waiting.shift()?.send();
      }
    });
    return only === undefined ? limited : { [only]: limited[only] };
  });
}
