import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outsideContext } from '../../../src/adapter/index.ts';
import { createLocks, createMemoryProvider } from '../../../src/index.ts';
import type { AcquireOptions, Lease, LockMessage, LockProvider, Locks } from '../../../src/index.ts';
import { createDeferred } from '../../../src/time/deferred.ts';

const flow = new AsyncLocalStorage<string>();

/** A `Locks` in real time: which context a timer has is a matter of Node's timers. */
function open(changes: Partial<LockProvider> = {}): Locks {
  const locks = createLocks(Object.assign(createMemoryProvider(), changes));
  onTestFinished(() => locks.close());
  return locks;
}

/**
 * A flow with a reentrant scope on "shared", in which all timers of `locks` are started and
 * restarted.
 */
async function inAnotherFlow(locks: Locks, watched: () => Promise<Lease>, act: () => Promise<void>): Promise<void> {
  const lease = await watched();
  await flow.run('another', () =>
    locks.withLock(
      'shared',
      async () => {
        // Due before what is scheduled, so its timer is the one for all.
        const first = await locks.acquire('first', { ttl: 60 });
        await act();
        await first.release();
      },
      { reentrant: true },
    ),
  );
  await lease.release();
}

/**
 * The context that a listener in that flow saw, and the token it got for "shared" if that did not
 * wait.
 */
interface Seen {
  readonly context: string | undefined;
  readonly joined: bigint | undefined;
}

async function look(locks: Locks): Promise<Seen> {
  const context = flow.getStore();
  const lease = await locks.tryAcquire('shared', { reentrant: true });
  return { context, joined: lease?.token };
}

const outside: Seen = { context: undefined, joined: undefined };

const losses: readonly (readonly [string, AcquireOptions, Partial<LockProvider>])[] = [
  ['its ttl', { ttl: 150, renew: false }, {}],
  ['maxHold', { ttl: 300, maxHold: 150 }, {}],
  ['a renewal that answered false', { ttl: 300 }, { renew: async ({ key }) => (key === 'lost' ? false : {}) }],
];

it.each(losses)(
  'a lease that is lost by %s tells listeners and diagnostics outside of every asynchronous context',
  async (_, options, changes) => {
    const locks = open(changes);
    const [heard, told] = [createDeferred<Seen>(), createDeferred<Seen>()];
    listen('locks:lost', 'lost', () => told.resolve(look(locks) as never));
    const watched = async (): Promise<Lease> => {
      const lease = await locks.acquire('lost', options);
      lease.signal.addEventListener('abort', () => heard.resolve(look(locks) as never));
      return lease;
    };
    await inAnotherFlow(locks, watched, async () => {
      expect(await Promise.all([heard.promise, told.promise])).toEqual([outside, outside]);
    });
  },
);

describe('a lease that another flow finds lost', () => {
  it.each<[string, (lease: Lease, locks: Locks) => unknown]>([
    ['by a look at it', (lease) => lease.held || lease.signal],
    ['by a renewal', (lease) => lease.renew().catch(() => {})],
    ['by close', (_lease, locks) => locks.close()],
  ])('%s tells its listeners outside of every asynchronous context', async (_, find) => {
    const locks = open();
    const lease = await locks.acquire('lost', { ttl: 50, renew: false });
    let context: string | undefined = 'none yet';
    lease.signal.addEventListener('abort', () => (context = flow.getStore()));
    const end = performance.now() + 60;
    while (performance.now() < end);
    await flow.run('another', async () => await find(lease, locks));
    expect(context).toBe(undefined);
  });
});

describe('what core does on its own', () => {
  it('renews, and tells diagnostics, outside of every asynchronous context', async () => {
    const contexts: unknown[] = [];
    const locks = open({
      renew: async ({ key }) => {
        if (key === 'watched') contexts.push(flow.getStore());
        return {};
      },
    });
    const renewed = createDeferred();
    listen('locks:renew', 'watched', () => {
      contexts.push(flow.getStore());
      renewed.resolve();
    });
    const watched = (): Promise<Lease> => locks.acquire('watched', { ttl: 200 });
    await inAnotherFlow(locks, watched, () => renewed.promise);
    expect(contexts).toEqual([undefined, undefined]);
  });

  it.each([
    ['releases in the background', 'locks:withdraw'],
    ['ends a wait for another flow', 'locks:giveup'],
  ] as const)('%s, and tells diagnostics, outside of every asynchronous context', async (_what, channel) => {
    const locks = open();
    const seen = createDeferred<string | undefined>();
    const holder = await locks.acquire('busy');
    listen(channel, 'busy', () => seen.resolve(flow.getStore()));
    const controller = new AbortController();
    const wait = locks.acquire('busy', { signal: controller.signal }).catch(() => {});
    await sleep(10);
    flow.run('another', () => controller.abort());
    expect(await seen.promise).toBe(undefined);
    await wait;
    await holder.release();
  });

  it('tries again after a wake outside of every asynchronous context', async () => {
    let attempts = 0;
    const contexts: unknown[] = [];
    const memory = createMemoryProvider();
    const tryAcquire = memory.tryAcquire.bind(memory);
    const locks = createLocks(
      Object.assign(memory, {
        tryAcquire: (...args: Parameters<LockProvider['tryAcquire']>) => {
          attempts += 1;
          contexts.push(flow.getStore());
          return tryAcquire(...args);
        },
      }),
    );
    onTestFinished(() => locks.close());
    const holder = await locks.acquire('busy');
    const wait = flow.run('own', () => locks.acquire('busy').then(() => flow.getStore()));
    await sleep(10);
    listen('locks:acquire', 'busy', () => contexts.push(flow.getStore()));
    await flow.run('another', () => holder.release());
    expect(await wait).toBe('own');
    expect(attempts).toBe(3);
    expect(contexts).toEqual([undefined, 'own', undefined, undefined]);
  });

  it('opens an adapter outside of every asynchronous context', async () => {
    const { openLocks } = await import('../../../src/index.ts');
    let context: string | undefined = 'none yet';
    const adapter = {
      fromConfig: () => {
        context = flow.getStore();
        return createMemoryProvider();
      },
    };
    await flow.run('another', async () => {
      await (await openLocks({ provider: adapter })).close();
      expect(flow.getStore()).toBe('another');
    });
    expect(context).toBe(undefined);
  });
});

describe('outsideContext', () => {
  it('answers what the callback answers, and leaves the context of its caller as it is', async () => {
    await flow.run('own', async () => {
      expect(outsideContext(() => flow.getStore())).toBe(undefined);
      const later = outsideContext(async () => {
        await sleep(1);
        return flow.getStore();
      });
      expect(flow.getStore()).toBe('own');
      expect(await later).toBe(undefined);
      expect(flow.getStore()).toBe('own');
      expect(() =>
        outsideContext(() => {
          throw new Error('thrown');
        }),
      ).toThrow('thrown');
    });
  });
});

function listen(channel: string, key: string, hear: () => void): void {
  const listener = (message: unknown): void => {
    if ((message as LockMessage).key === key) hear();
  };
  subscribe(channel, listener);
  onTestFinished(() => void unsubscribe(channel, listener));
}
