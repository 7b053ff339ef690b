import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider } from '../../../core/src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import { breakable } from '../../../core/test/support/breakable.ts';
import { systemRuntime } from '../../../core/src/time/runtime.ts';
import { claimOf } from '../support/combined.ts';
import { listen } from '../../../core/test/support/listen.ts';
import { fleet } from '../support/migrating-fleet.ts';
import { through } from '../../../core/test/support/through.ts';

test('a process stays in both while another one acts under the other end, and tells which', async () => {
  const { process, holders } = fleet();
  const heard = listen('locks:migration');
  const first = process('from');
  await first.tryAcquire(claimOf('me/1', { key: 'first' }));
  const second = process('to');
  expect(await second.tryAcquire(claimOf('me/2'))).toMatchObject({ granted: true });
  expect(await holders()).toEqual({ from: 1, to: 1 });
  expect(heard).toContainEqual(
    expect.objectContaining({
      event: 'refused',
      desired: 'to',
      effective: 'both',
      by: [expect.stringMatching(/^p1~/)],
    }),
  );
  await first.release(claimOf('me/1', { key: 'first' }));
  await first.close();
  await vi.waitFor(() => {
    expect(heard).toContainEqual(expect.objectContaining({ event: 'changed', effective: 'to' }));
  }, 5_000);
  await second.tryAcquire(claimOf('me/3', { key: 'another' }));
  expect(await holders('another')).toEqual({ from: 0, to: 1 });
});

test('a waiting claim is woken by a change, and granted in the new phase', async () => {
  let phase: Phase = 'from';
  const { process, holders } = fleet();
  const heard = listen('locks:migration');
  const provider = process(() => phase);
  const locks = createLocks(provider, { ttl: 2_000 });
  onTestFinished(() => locks.close());
  const first = await locks.acquire('job', { ttl: 60_000 });
  const second = locks.acquire('job', { wait: 10_000 });
  await vi.waitFor(async () => expect((await locks.inspect('job')).waiters).toBe(1));
  phase = 'both';
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: 'both' }), 5_000);
  // Until it is renewed, it stays where it was granted.
  expect(await holders()).toEqual({ from: 1, to: 0 });
  await first.release();
  const lease = await second;
  expect(await holders()).toEqual({ from: 1, to: 1 });
  phase = 'to';
  // One of both stores gives the other one up at a renewal.
  await vi.waitFor(async () => expect(await holders()).toEqual({ from: 0, to: 1 }), 5_000);
  expect(await lease.release()).toBe(true);
});

test.each([
  ['from', 'both'],
  ['both', 'from'],
  ['both', 'to'],
] as const)('claims that wait keep their order when their process goes from %s to %s', async (before, after) => {
  let phase: Phase = before;
  const { process } = fleet();
  const heard = listen('locks:migration');
  const locks = createLocks(
    process(() => phase),
    { ttl: 2_000 },
  );
  onTestFinished(() => locks.close());
  const holder = await locks.acquire('job');
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const lease = await locks.acquire('job', { wait: 10_000 });
    order.push(number);
    await lease.release();
  });
  await vi.waitFor(async () => expect((await locks.inspect('job')).waiters).toBe(3));
  phase = after;
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: after }), 5_000);
  // The claims were woken by the change, and have asked again.
  await sleep(100);
  await holder.release();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
});

/** A provider whose calls take a turn of the event loop each way, as those of a server do. */
function distant(provider: LockProvider): LockProvider {
  const travel = async <T>(call: () => Promise<T>): Promise<T> => {
    await turn();
    const answer = await call();
    await turn();
    return answer;
  };
  return through(provider, travel);
}

test.each(['from', 'to'] as const)('a process that is closed while it enters %s leaves nothing', async (phase) => {
  for (let turns = 0; turns < 30; turns += 1) {
    const { process, from, to } = fleet();
    const stores = {
      from: distant(createMemoryProvider({ store: from })),
      to: distant(createMemoryProvider({ store: to })),
    };
    const provider = process(phase, stores);
    for (let left = turns; left > 0; left -= 1) await turn();
    await provider.close();
    expect([...from.keys(''), ...to.keys('')], `${phase} after ${turns} turns`).toEqual([]);
  }
});

test.each(['from', 'both'] as const)(
  'in %s a position in the queue whose release had no answer is given back',
  async (phase) => {
    const { process, from } = fleet();
    const store = breakable(createMemoryProvider({ store: from }));
    const heard = listen('locks:migration');
    const provider = process(phase, { from: store, presenceTtl: 60_000 });
    if (phase === 'from') {
      await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: 'from' }), 5_000);
    }
    await provider.tryAcquire(claimOf('me/1'));
    expect(await provider.tryAcquire(claimOf('me/2'), () => {})).toMatchObject({ granted: false });
    const waiters = async (): Promise<number> => (await createMemoryProvider({ store: from }).inspect('job')).waiters;
    expect(await waiters()).toBe(1);
    store.down = true;
    // A store of sessions would keep the place for as long as the process runs.
    await provider.release(claimOf('me/2')).catch(() => {});
    store.down = false;
    await vi.waitFor(async () => expect(await waiters()).toBe(0), 3_000);
  },
);

test.each(['both', 'from'] as const)('in %s a delay before the call of a store shortens no promise', async (phase) => {
  let delays = 0;
  const { clock } = systemRuntime;
  // So that only the delays take time.
  let frozenAt: number | undefined = undefined;
  const later = (time: number): number => (frozenAt ?? time) + 50 * delays;
  const runtime = {
    ...systemRuntime,
    clock: { origin: clock.origin, now: () => later(clock.now()), exact: () => later(clock.exact()) },
  };
  const { process, from } = fleet();
  const heard = listen('locks:migration');
  let sentAt = 0;
  const store = createMemoryProvider({ store: from });
  const noted: LockProvider = {
    ...through(store, (call) => call()),
    renew: async (claim, token) => {
      sentAt = runtime.clock.now();
      return await store.renew(claim, token);
    },
  };
  let reads = 0;
  // A file that has the phase may take long to be read.
  const read = (): Phase => {
    delays += reads;
    return phase;
  };
  const provider = process(read, { runtime, from: noted, presenceTtl: 60_000, timeout: 60_000 });
  if (phase === 'from') {
    await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: 'from' }), 5_000);
  }
  expect(await provider.tryAcquire(claimOf('me/1'))).toMatchObject({ granted: true });
  reads = 1;
  frozenAt = clock.now();
  const calledAt = runtime.clock.now();
  const renewal = await provider.renew(claimOf('me/1'));
  reads = 0;
  expect(sentAt).toBeGreaterThanOrEqual(calledAt + 50);
  expect(calledAt + ((renewal || {}).validity ?? 0)).toBeGreaterThanOrEqual(sentAt + 10_000 - 1);
});
