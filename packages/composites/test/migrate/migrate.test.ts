import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider } from '../../../core/src/index.ts';
import type { Grant, LockProvider, Locks } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import { claimOf, fleet, listen, withValidity } from '../support/migrating-fleet.ts';
import { through } from '../support/through.ts';

test.each<[Phase, object]>([
  ['from', { from: 1, to: 0 }],
  ['both', { from: 1, to: 1 }],
  ['to', { from: 0, to: 1 }],
])('in phase %s a lock is held there: %j', async (phase, expected) => {
  const { process, holders } = fleet();
  const provider = process(phase);
  expect(await provider.tryAcquire(claimOf('me/1'))).toMatchObject({ granted: true });
  expect(await holders()).toEqual(expected);
  expect((await provider.inspect('job')).holders).toMatchObject([{ owner: 'me/1', mode: 'exclusive' }]);
  expect(await provider.release(claimOf('me/1'))).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test('a process stays in both while another one acts under the other end, and tells which', async () => {
  const { process, holders } = fleet();
  const heard = listen();
  const first = process('from');
  await first.tryAcquire(claimOf('me/1', { key: 'first' }));
  const second = process('to');
  // Its word lets others go on once the first process is gone.
  process('both');
  expect(await second.tryAcquire(claimOf('me/2'))).toMatchObject({ granted: true });
  expect(await holders()).toEqual({ from: 1, to: 1 });
  expect(heard).toContainEqual(
    expect.objectContaining({ event: 'refused', desired: 'to', effective: 'both', by: ['p1'] }),
  );
  await first.close();
  // It was closed with a lease that may be valid: its presence lasts for its ttl.
  await vi.waitFor(() => {
    expect(heard).toContainEqual(expect.objectContaining({ event: 'changed', effective: 'to' }));
  }, 5_000);
  await second.tryAcquire(claimOf('me/3', { key: 'another' }));
  expect(await holders('another')).toEqual({ from: 0, to: 1 });
});

test('tokens under an end exceed those of the other store, and a margin', async () => {
  const { process, from } = fleet();
  const ahead = 2n ** 51n;
  const operator = createMemoryProvider({ store: from });
  const probe = claimOf('me/0', { key: 'migration/floor', floor: ahead });
  await operator.tryAcquire(probe);
  await operator.release(probe);
  const answer = await process('to').tryAcquire(claimOf('me/1'));
  expect((answer as Grant).token).toBeGreaterThan(ahead + 600_000_000n);
});

test('the next migration begins above the floor of the one before', async () => {
  const { process, from, to } = fleet();
  const ahead = 2n ** 51n;
  const operator = createMemoryProvider({ store: from });
  await operator.tryAcquire(claimOf('me/0', { key: 'migration/floor', floor: ahead }));
  await operator.release(claimOf('me/0', { key: 'migration/floor' }));
  const first = process('to');
  const before = (await first.tryAcquire(claimOf('me/1'))) as Grant;
  expect(before.token).toBeGreaterThan(ahead);
  await first.release(claimOf('me/1'));
  await first.close();
  // Its clock is behind the floor, and the key was never locked in the third store.
  const stores = { from: createMemoryProvider({ store: to }), to: createMemoryProvider() };
  const second = (await process('to', { ...stores, name: 'next' }).tryAcquire(claimOf('me/2'))) as Grant;
  expect(second.token).toBeGreaterThan(before.token);
});

test('the other store keeps a lease that is carried for as long as was told before', async () => {
  let phase: Phase = 'from';
  const { process, from, to } = fleet();
  const session = withValidity(createMemoryProvider({ store: from }), 800);
  const observer = createMemoryProvider({ store: to });
  const provider = process(() => phase, { from: session });
  const claim = claimOf('p/1', { ttl: 200 });
  await provider.tryAcquire(claim);
  phase = 'both';
  await provider.renew(claim);
  const remaining = await vi.waitFor(async () => {
    const [holder] = (await observer.inspect('job')).holders;
    expect(holder).toBeDefined();
    return holder?.remaining ?? 0;
  });
  expect(remaining).toBeGreaterThan(500);
});

test('a waiting claim is woken by a change, and granted in the new phase', async () => {
  let phase: Phase = 'from';
  const { process, holders, mayGoOn } = fleet();
  const heard = listen();
  const provider = process(() => phase);
  const locks = createLocks(provider, { ttl: 2_000 });
  onTestFinished(() => locks.close());
  const first = await locks.acquire('job');
  const second = locks.acquire('job', { wait: 10_000 });
  await vi.waitFor(async () => expect((await locks.inspect('job')).waiters).toBe(1));
  phase = 'both';
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: 'both' }), 5_000);
  await mayGoOn();
  phase = 'to';
  await vi.waitFor(async () => expect((await holders()).to).toBe(1), 5_000);
  await first.release();
  const lease = await second;
  expect(lease.held).toBe(true);
  await vi.waitFor(async () => expect(await holders()).toEqual({ from: 0, to: 1 }), 5_000);
  await lease.release();
});

test.each([
  ['from', 'both'],
  ['both', 'from'],
] as const)('a waiting claim keeps its place when its process goes from %s to %s', async (before, after) => {
  let phase: Phase = before;
  const { process } = fleet();
  const heard = listen();
  const provider = process(() => phase);
  const [first, other] = [provider, process('from')].map((each) => createLocks(each, { ttl: 2_000 })) as [Locks, Locks];
  onTestFinished(async () => void (await Promise.all([first.close(), other.close()])));
  const holder = await other.acquire('job');
  const order: string[] = [];
  const wait = async (locks: Locks, name: string): Promise<void> => {
    const lease = await locks.acquire('job', { wait: 10_000 });
    order.push(name);
    await lease.release();
  };
  const waiting = [wait(first, 'the first')];
  await vi.waitFor(async () => expect((await other.inspect('job')).waiters).toBe(1));
  waiting.push(wait(other, 'the second'));
  await vi.waitFor(async () => expect((await other.inspect('job')).waiters).toBe(2));
  phase = after;
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: after }), 5_000);
  // The claim was woken by the change, and has asked again.
  await sleep(100);
  expect((await other.inspect('job')).waiters).toBe(2);
  await holder.release();
  await Promise.all(waiting);
  expect(order).toEqual(['the first', 'the second']);
});

/** A provider whose calls take a turn of the event loop each way, as those of a server do. */
function distant(provider: LockProvider): LockProvider {
  const travel = async <T>(call: () => Promise<T>): Promise<T> => {
    await turn();
    const answer = await call();
    await turn();
    return answer;
  };
  return {
    ...through(provider, travel),
    register: (name, change) => travel(async () => await provider.register?.(name, change)),
  };
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
