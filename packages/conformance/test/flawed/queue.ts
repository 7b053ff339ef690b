import { createTextbook, sound, textbookTraits } from './textbook.ts';
import type { Place, Store } from './textbook.ts';
import { withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { ids } from '../support/mutants.ts';

export const queues: readonly Flaw[] = [
  {
    name: 'the whole line ends when a place of the service with the shortest settings does',
    caughtBy: ['fair-whatever-the-settings'],
    mayAlsoFail: ['place-*'],
    make: () => {
      const store: Store = new Map();
      return {
        create: () => ({ ...createTextbook(store), traits: { ...textbookTraits, scope: 'network' } }),
        createOther: () => {
          const inner = createTextbook(store);
          return {
            ...inner,
            async tryAcquire(claim, wake) {
              const answer = await inner.tryAcquire(claim, wake);
              const entry = store.get(claim.key);
              if (wake !== undefined && entry !== undefined) setTimeout(() => (entry.queue = []), 100);
              return answer;
            },
          };
        },
      };
    },
  },
  {
    name: 'a waiter that stopped asking blocks the queue for ever',
    caughtBy: ['place-lapses', 'place-ends-with-provider'],
    make: () => {
      const create = withRules({ placeTtl: Infinity })();
      return { create, createOther: create };
    },
  },
  {
    name: 'the places of a session outlive it',
    caughtBy: ['place-ends-with-provider'],
    make: () => {
      const create = wrapped(
        (inner) => ({
          traits: { ...textbookTraits, expiry: 'session' },
          tryAcquire: async (claim, wake) => ({ ...(await inner.tryAcquire(claim, wake)), validity: claim.ttl }),
          renew: async (claim, token) => (await inner.renew(claim, token)) && { validity: claim.ttl },
        }),
        { placeTtl: Infinity },
      )();
      return { create, createOther: create };
    },
  },
  {
    name: 'last come, first served',
    caughtBy: ['fair-order', 'fair-order-after-abandon', 'fair-newcomer-waits', 'locks-wakes-order'],
    mayAlsoFail: ids('downgrade-admits-sharers inspect-waiters fair-* place-*'),
    make: withRules({
      enqueue: ({ queue }, place) => {
        if (!queue.some(({ owner }) => owner === place.owner)) queue.unshift(place);
      },
    }),
  },
  {
    name: 'of two claims that come at once, one is told to wait before it has its place',
    caughtBy: ['fair-order'],
    mayAlsoFail: ['downgrade-admits-sharers', 'place-*', 'wake-*', 'waiting-*', 'release-*', 'inspect-*', 'locks-*'],
    make: () => {
      const joining = new Map<string, number>();
      return wrapped((inner) => {
        const late = new Map<string, NodeJS.Timeout>();
        return {
          async tryAcquire(claim, wake) {
            const others = joining.get(claim.key) ?? 0;
            if (wake === undefined || late.has(claim.owner)) return await inner.tryAcquire(claim, wake);
            joining.set(claim.key, others + 1);
            try {
              const answer = await inner.tryAcquire(claim, others === 0 ? wake : undefined);
              if (others === 0 || answer.granted) return answer;
              const join = async (): Promise<void> => void ((await inner.tryAcquire(claim, wake)).granted && wake());
              late.set(
                claim.owner,
                setTimeout(() => void join().catch(() => {}), 20),
              );
              return answer;
            } finally {
              joining.set(claim.key, (joining.get(claim.key) ?? 1) - 1);
            }
          },
          release(claim) {
            clearTimeout(late.get(claim.owner));
            late.delete(claim.owner);
            return inner.release(claim);
          },
        };
      })();
    },
  },
  {
    name: 'newcomers pass those in the queue, though it declares to be fair',
    caughtBy: ['fair-newcomer-waits', 'fair-writer-not-starved'],
    mayAlsoFail: ['permits-own-number', 'fair-*', 'place-*', 'locks-wakes-order'],
    make: withRules({ inTurn: () => true }),
  },
  {
    name: 'a waiter that tries again goes to the end of the queue',
    caughtBy: ['fair-repeat-keeps-place'],
    make: withRules({
      enqueue: (entry, place) => {
        entry.queue = entry.queue.filter(({ owner }) => owner !== place.owner);
        entry.queue.push(place);
      },
    }),
  },
  {
    name: 'an attempt without wake takes a position in the queue',
    caughtBy: ['busy-leaves-nothing', 'fair-newcomer-waits'],
    mayAlsoFail: ids(
      'repeat-same-token release-* renew-raises-token permits-own-number shared-together downgrade-keeps-the-hold',
      'fair-* names-* locks-* exclusion-while-held wake-*',
    ),
    make: withRules({ enqueueAlways: true }),
  },
  {
    name: 'a waiter that gives up takes the one behind it along',
    caughtBy: ['fair-order-after-abandon', 'fair-beside-other-calls'],
    mayAlsoFail: ['wake-after-head-leaves', 'inspect-waiters'],
    make: withRules({
      leave: (entry, owner) => {
        const index = entry.queue.findIndex((place) => place.owner === owner);
        if (index >= 0) entry.queue.splice(index, 2);
      },
    }),
  },
  {
    name: 'positions are compared as text: 10 comes before 9',
    caughtBy: ['fair-order'],
    make: () => {
      const numbers = new Map<string, number>();
      const textOf = ({ owner }: Place): string => String(numbers.get(owner));
      return withRules({
        enqueue: (entry, place) => {
          if (!numbers.has(place.owner)) numbers.set(place.owner, numbers.size);
          sound.enqueue(entry, place);
          entry.queue.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
        },
      })();
    },
  },
  {
    name: 'beyond the first 100 waiters the last one comes first',
    caughtBy: ['fair-order'],
    make: withRules({
      enqueue: ({ queue }, place) => {
        if (!queue.some(({ owner }) => owner === place.owner)) queue.splice(100, 0, place);
      },
    }),
  },
  {
    name: 'a renewal writes the record without its queue',
    caughtBy: ['fair-beside-other-calls'],
    mayAlsoFail: ['permits-own-number', 'close-is-local', 'locks-*'],
    make: withRules({
      renew: (hold, claim, now, entry) => {
        sound.renew(hold, claim, now, entry);
        entry.queue = [];
      },
    }),
  },
  {
    name: 'a renewal writes back the queue that it has read, and loses who came meanwhile',
    caughtBy: ['fair-beside-other-calls'],
    mayAlsoFail: ['locks-*'],
    make: wrapped((inner, store) => ({
      async renew(claim, token) {
        const entry = store.get(claim.key);
        const queue = [...(entry?.queue ?? [])];
        const renewed = await inner.renew(claim, token);
        if (entry !== undefined) entry.queue = queue;
        return renewed;
      },
    })),
  },
  {
    name: 'readers pass a waiting writer',
    caughtBy: ['fair-writer-not-starved'],
    mayAlsoFail: ['permits-own-number'],
    make: withRules({ inTurn: (entry, claim) => claim.mode === 'shared' || sound.inTurn(entry, claim) }),
  },
];
