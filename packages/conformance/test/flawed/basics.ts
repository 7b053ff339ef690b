import { createMemoryProvider, createMemoryStore } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { createTextbook } from './textbook.ts';

export const basics: readonly Flaw[] = [
  {
    name: 'it looks whether the key is free, then takes it: two steps',
    caughtBy: ['exclusion-one-winner', 'exclusion-100-way', 'locks-counter'],
    mayAlsoFail: ['permits-in-contention', 'shared-excludes-writers'],
    make: wrapped((inner, store) => {
      const blind = createTextbook(store, { admits: () => true, inTurn: () => true });
      return {
        async tryAcquire(claim, wake) {
          const { holders, waiters } = await inner.inspect(claim.key);
          const free = holders.length === 0 && waiters === 0;
          return await (free ? blind : inner).tryAcquire(claim, wake);
        },
      };
    }),
  },
  {
    name: 'attempts at once turn each other away, and none gets the free key',
    caughtBy: ['exclusion-one-winner'],
    mayAlsoFail: ['*'],
    make: () => {
      const underWay = new Map<string, number>();
      return wrapped((inner) => ({
        async tryAcquire(claim, wake) {
          const { key } = claim;
          underWay.set(key, (underWay.get(key) ?? 0) + 1);
          await new Promise(setImmediate);
          const isAlone = underWay.get(key) === 1;
          await new Promise(setImmediate);
          underWay.set(key, (underWay.get(key) ?? 0) - 1);
          return isAlone || wake !== undefined ? await inner.tryAcquire(claim, wake) : { granted: false };
        },
      }))();
    },
  },
  {
    name: 'contention is an exception',
    caughtBy: ['exclusion-while-held', 'exclusion-100-way', 'locks-try'],
    mayAlsoFail: ['*'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const answer = await inner.tryAcquire(claim, wake);
        if (!answer.granted) throw new Error('the lock is held by another owner');
        return answer;
      },
    })),
  },
  {
    name: 'each provider has a store of its own',
    caughtBy: ['exclusion-while-held', 'exclusion-100-way'],
    mayAlsoFail: ['*'],
    make: () => () => createTextbook(new Map()),
  },
  {
    name: 'answers are not well formed',
    caughtBy: ['exclusion-while-held'],
    mayAlsoFail: ['*'],
    make: wrapped((inner) => ({
      tryAcquire: async (claim, wake) => ((await inner.tryAcquire(claim, wake)).granted || null) as never,
    })),
  },
  {
    name: 'close does not refuse later calls',
    caughtBy: ['close-refuses', 'close-unused', 'close-wakes-waiters'],
    mayAlsoFail: ['locks-close-of-provider'],
    make: wrapped(() => ({ close: async () => {} })),
  },
  {
    name: 'close wakes no waiter',
    caughtBy: ['close-wakes-waiters', 'locks-close-of-provider'],
    make: wrapped((inner) => {
      let closed = false;
      return {
        tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake && (() => void (closed || wake()))),
        close() {
          closed = true;
          return inner.close();
        },
      };
    }),
  },
  {
    name: 'a closed provider wakes its claims when their key is free',
    caughtBy: ['close-wakes-waiters'],
    make: () => {
      const left = new Set<() => void>();
      return wrapped((inner) => {
        const own = new Set<() => void>();
        return {
          tryAcquire(claim, wake) {
            if (wake !== undefined) own.add(wake);
            return inner.tryAcquire(claim, wake);
          },
          release(claim) {
            for (const wake of left) setImmediate(wake);
            return inner.release(claim);
          },
          close() {
            for (const wake of own) left.add(wake);
            return inner.close();
          },
        };
      })();
    },
  },
  {
    name: 'close leaves a timer that does not keep the process alive',
    caughtBy: ['close-leaves-nothing'],
    alone: true,
    make: wrapped(() => {
      setInterval(() => {}, 60_000).unref();
      return {};
    }),
  },
  {
    name: 'close leaves a listener of the process',
    caughtBy: ['close-leaves-nothing'],
    alone: true,
    make: wrapped(() => {
      process.on('exit', () => {});
      return {};
    }),
  },
  {
    name: 'close ends the store for all providers',
    caughtBy: ['close-is-local'],
    mayAlsoFail: ['place-ends-with-provider', 'locks-close-of-provider'],
    make: wrapped((inner, store) => ({
      async close() {
        await inner.close();
        store.clear();
      },
    })),
  },
  {
    name: 'close never resolves while calls are in flight',
    caughtBy: ['close-settles-calls'],
    mayAlsoFail: ['close-in-mid-attempt'],
    make: wrapped((inner) => {
      let inFlight = 0;
      return {
        async tryAcquire(claim, wake) {
          inFlight += 1;
          try {
            return await inner.tryAcquire(claim, wake);
          } finally {
            inFlight -= 1;
          }
        },
        close: () => (inFlight > 0 ? new Promise(() => {}) : inner.close()),
      };
    }),
  },
  {
    name: 'traits differ from provider to provider',
    caughtBy: ['declares-traits'],
    make: () => {
      let made = 0;
      return wrapped(({ traits }) => ({ traits: { ...traits, scope: (made += 1) % 2 === 0 ? 'process' : 'host' } }))();
    },
  },
  {
    name: 'calls without I/O never let the event loop turn',
    caughtBy: ['locks-loop'],
    alone: true,
    make: () => {
      const store = createMemoryStore({ runtime: { ...systemRuntime, yieldIfDue: () => undefined } });
      return () => createMemoryProvider({ store });
    },
  },
];
