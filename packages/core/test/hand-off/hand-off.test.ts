import { describe, expect, it } from 'vitest';
import { createFencingGuard } from '../../src/index.ts';
import type { Lease, Locks } from '../../src/index.ts';
import { settle } from '../support/virtual-runtime.ts';
import { twoProcesses } from '../support/two-processes.ts';
import { watch } from '../support/setting.ts';
import type { Watched } from '../support/setting.ts';

const localHandOff = { count: 3, ms: 50 };
// Tokens are those of the counter alone: without a reserve, some would be given twice.
const tokenFloor = 2n ** 52n;

function setting() {
  return twoProcesses({ localHandOff, tokenFloor });
}

function inLine(locks: Locks, count: number): readonly Watched<Lease>[] {
  return Array.from({ length: count }, () => watch(locks.acquire('key')));
}

/** The calls that have a lease, of all `waits`. */
function granted(waits: readonly Watched<Lease>[]): readonly Lease[] {
  return waits.flatMap(({ value }) => value ?? []);
}

describe('claims of one process that wait for a key', () => {
  it('pass it on, each with an owner and a token of its own', async () => {
    const { one } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 2);
    await settle();
    expect(granted(waits)).toEqual([]);
    expect(await first.release()).toBe(true);
    await settle();
    const [second, ...none] = granted(waits) as [Lease];
    expect(none).toEqual([]);
    expect(second.token).toBe(first.token + 1n);
    expect(second.owner).not.toBe(first.owner);
    expect(second.held).toBe(true);
    expect(await second.release()).toBe(true);
    await settle();
    expect(granted(waits).map(({ token }) => token)).toEqual([first.token + 1n, first.token + 2n]);
  });

  it('pass it on as often as count says; then the other process has its turn, with a higher token', async () => {
    const { one, two } = setting();
    const order: string[] = [];
    const tokens: bigint[] = [];
    const run = (locks: Locks, name: string) =>
      locks.withLock('key', async ({ token }) => {
        order.push(name);
        tokens.push(token);
        await settle();
      });
    const first = await one.acquire('key');
    const mine = Array.from({ length: 7 }, () => run(one, 'one'));
    await settle();
    const theirs = Array.from({ length: 2 }, () => run(two, 'two'));
    await settle();
    await first.release();
    await Promise.all([...mine, ...theirs]);
    // After a hold and three hand-offs the other process has it, and hands it on as well.
    expect(order).toEqual(['one', 'one', 'one', 'two', 'two', 'one', 'one', 'one', 'one']);
    expect(tokens).toEqual(tokens.toSorted((some, others) => Number(some - others)));
    expect(new Set([first.token, ...tokens]).size).toBe(tokens.length + 1);
  });

  it('do not pass it on later than ms says', async () => {
    const { runtime, one, two } = setting();
    const first = await one.acquire('key');
    const mine = inLine(one, 2);
    const theirs = inLine(two, 1);
    await runtime.advance(40);
    await first.release();
    await settle();
    const [second] = granted(mine) as [Lease];
    await runtime.advance(20);
    await second.release();
    await settle();
    expect(granted(mine)).toHaveLength(1);
    expect(granted(theirs)).toHaveLength(1);
  });

  it('have a place in the store as soon as the time is over', async () => {
    const { runtime, one, two } = setting();
    const first = await one.acquire('key');
    const mine = inLine(one, 3);
    await settle();
    expect((await two.inspect('key')).waiters).toBe(0);
    expect((await one.inspect('key')).waiters).toBe(3);
    await runtime.advance(51);
    expect((await two.inspect('key')).waiters).toBe(1);
    expect((await one.inspect('key')).waiters).toBe(3);
    const theirs = inLine(two, 1);
    await settle();
    await first.release();
    await settle();
    // It was in line before the claim of the other process.
    expect(granted(mine)).toHaveLength(1);
    expect(granted(theirs)).toHaveLength(0);
  });

  it('end their leases when they pass them on', async () => {
    const { one } = setting();
    const guard = createFencingGuard();
    const first = await one.acquire('key');
    const waits = inLine(one, 1);
    await settle();
    guard.check('resource', first);
    expect(await first.release()).toBe(true);
    await settle();
    const [second] = granted(waits) as [Lease];
    guard.check('resource', second);
    expect(first.held).toBe(false);
    expect(first.remaining).toBe(0);
    expect(first.signal.aborted).toBe(false);
    await expect(first.renew()).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    expect(await first.release()).toBe(true);
    expect(() => guard.check('resource', first)).toThrow(expect.objectContaining({ code: 'LOCK_STALE' }));
    expect(second.held).toBe(true);
    expect(await second.release()).toBe(true);
  });

  it('are shown by inspect as they are here, and as one hold elsewhere', async () => {
    const { one, two } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 1);
    await settle();
    await first.release();
    await settle();
    const [second] = granted(waits) as [Lease];
    const [here] = (await one.inspect('key')).holders;
    expect(here).toMatchObject({ owner: second.owner, token: second.token });
    const [there] = (await two.inspect('key')).holders;
    expect(there).toMatchObject({ owner: first.owner, token: first.token + 3n });
    // By force, as the other process sees it.
    expect(await two.forceRelease(there!)).toBe(true);
    await expect(second.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it('lose their hold by force in their own process, and what was released stays so', async () => {
    const { one } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 2);
    await settle();
    await first.release();
    await settle();
    const [second] = granted(waits) as [Lease];
    expect(await one.forceRelease({ key: 'key', owner: first.owner, mode: 'exclusive' })).toBe(false);
    const [holder] = (await one.inspect('key')).holders;
    expect(await one.forceRelease(holder!)).toBe(true);
    await settle();
    const third = granted(waits)[1] as Lease;
    expect(third.held).toBe(true);
    await expect(second.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await third.renew();
    expect(third.held).toBe(true);
  });

  it('are renewed, whichever of them the store knows', async () => {
    const { runtime, one, two } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 1);
    await settle();
    await first.release();
    await settle();
    const [second] = granted(waits) as [Lease];
    await runtime.advance(5_000);
    expect(second.held).toBe(true);
    expect((await two.inspect('key')).holders).toHaveLength(1);
    await second.release();
    expect(await two.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
  });

  it('have no more time than the hold', async () => {
    const { runtime, one } = setting();
    const first = await one.acquire('key', { renew: false });
    const waits = [watch(one.acquire('key', { renew: false })), watch(one.acquire('key', { renew: false }))];
    await runtime.advance(30);
    await first.release();
    await runtime.advance(15);
    await granted(waits)[0]!.release();
    await settle();
    // The first hand-off renewed the hold 15 ms ago.
    const third = granted(waits)[1] as Lease;
    expect(third.remaining).toBeLessThanOrEqual(1_000 - 15);
    expect(third.remaining).toBeGreaterThan(900);
  });

  it('go to the store where the hold does not fit', async () => {
    const { one, two } = setting();
    const first = await one.acquire('key');
    const other = watch(one.acquire('key', { ttl: 2_000 }));
    await settle();
    await first.release();
    await settle();
    expect(other.value?.held).toBe(true);
    const [there] = (await two.inspect('key')).holders;
    expect(there?.owner).toBe(other.value?.owner);
  });

  it('leave without a trace when they give up', async () => {
    const { runtime, one, two } = setting();
    const first = await one.acquire('key');
    const timesOut = watch(one.acquire('key', { wait: 30 }));
    const controller = new AbortController();
    const aborts = watch(one.acquire('key', { signal: controller.signal }));
    const waits = inLine(one, 1);
    await settle();
    controller.abort(new Error('changed its mind'));
    await runtime.advance(35);
    expect(timesOut.error).toMatchObject({ code: 'LOCK_TIMEOUT', message: expect.stringContaining('held by') });
    expect(aborts.error).toMatchObject({ message: 'changed its mind' });
    await first.release();
    await settle();
    await granted(waits)[0]!.release();
    expect(await two.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
    expect(await one.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
  });

  it('pass it over a claim that is aborted while it is handed the key', async () => {
    const { one, two } = setting();
    const first = await one.acquire('key');
    const controller = new AbortController();
    const aborts = watch(one.acquire('key', { signal: controller.signal }));
    const waits = inLine(one, 1);
    await settle();
    // The first hand-off takes a call of the store.
    const releasing = first.release();
    await Promise.resolve();
    controller.abort(new Error('changed its mind'));
    expect(await releasing).toBe(true);
    await settle();
    expect(aborts.error).toMatchObject({ message: 'changed its mind' });
    const [next] = granted(waits) as [Lease];
    expect(next.held).toBe(true);
    await next.release();
    expect(await two.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
  });

  it('are closed together', async () => {
    const { runtime, one, two } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 5);
    await settle();
    const releasing = first.release();
    const closing = watch(one.close());
    await releasing;
    await settle();
    expect(closing.state).toBe('fulfilled');
    for (const { error } of waits) expect(error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(await two.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
    expect(runtime.keepAliveTimers).toBe(0);
  });

  it('may share the lease, and others get in', async () => {
    const { one, two } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 2);
    await settle();
    await first.release();
    await settle();
    const [second] = granted(waits) as [Lease];
    await second.downgrade();
    expect(second).toMatchObject({ held: true, mode: 'shared', token: first.token + 1n });
    const shared = await two.acquire('key', { mode: 'shared' });
    await second.release();
    await settle();
    // The claim behind it was not handed a shared hold.
    expect(granted(waits)).toHaveLength(1);
    await shared.release();
    await settle();
    expect(granted(waits)[1]!.token).toBeGreaterThan(shared.token);
  });

  it('may hand the lease over to another process, with its highest token', async () => {
    const { runtime, one, two } = setting();
    const first = await one.acquire('key');
    const waits = inLine(one, 2);
    await settle();
    await first.release();
    await settle();
    const [second] = granted(waits) as [Lease];
    const resumed = await two.resume(await second.handOver());
    expect(resumed).toMatchObject({ held: true, owner: first.owner, token: first.token + 3n });
    expect(second.held).toBe(false);
    await runtime.advance(3_000);
    expect(resumed.held).toBe(true);
    await resumed.release();
    await settle();
    const third = granted(waits)[1] as Lease;
    expect(third.token).toBeGreaterThan(resumed.token);
    const back = await one.resume(await third.handOver());
    expect(back.held).toBe(true);
    await back.renew();
    expect(await back.release()).toBe(true);
  });
});
