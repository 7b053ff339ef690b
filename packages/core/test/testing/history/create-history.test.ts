import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../src/index.ts';
import type { Lease } from '../../../src/index.ts';
import { checkHistory, createHistory, createVirtualRuntime } from '../../../src/testing/index.ts';

describe('a kept history', () => {
  function createSetting() {
    const runtime = createVirtualRuntime();
    const store = createMemoryStore({ runtime });
    const open = () => createLocks(createMemoryProvider({ store }), { runtime, ttl: 1_000 });
    return { runtime, open, history: createHistory(() => runtime.time) };
  }

  it('has what leases say of themselves', async () => {
    const { runtime, open, history } = createSetting();
    const [one, two] = [open(), open()];
    const lost = await one.acquire('k', { renew: false });
    history.granted('one', lost);
    runtime.block(1_000);
    const released = await two.acquire('k');
    history.granted('two', released, 1);
    expect(await history.release(released)).toBe(true);
    await runtime.advance(0);
    const closed = await two.acquire('k');
    history.granted('two', closed);
    await two.close();
    history.look();
    expect(history.events.filter(({ type }) => type !== 'call')).toMatchObject([
      { at: 1_000, process: 'one', type: 'granted', id: lost.owner, token: `${lost.token}`, remaining: 988 },
      { at: 2_000, process: 'one', type: 'held', id: lost.owner, remaining: 0 },
      { at: 2_000, process: 'two', type: 'granted', id: released.owner },
      { at: 2_000, process: 'two', type: 'release', id: released.owner, remaining: 988 },
      { at: 2_000, process: 'two', type: 'released', id: released.owner, answer: true },
      { at: 2_000, process: 'one', type: 'lost', id: lost.owner, code: 'LOCK_LOST', held: false },
      { at: 2_000, process: 'two', type: 'granted', id: closed.owner },
      { at: 2_000, process: 'two', type: 'lost', id: closed.owner, code: 'LOCK_CLOSED' },
    ]);
    expect(history.events).toContainEqual({
      at: 2_000,
      process: 'two',
      type: 'call',
      id: released.owner,
      call: { key: 'k', mode: 'exclusive', permits: 1, how: 'acquire' },
    });
    expect(checkHistory(history.events)).toEqual([]);
  });

  it('has the loss that a release notices first, and a promise that was renewed', async () => {
    const { runtime, open, history } = createSetting();
    const lease = await open().acquire('k', { renew: false });
    history.granted('one', lease);
    history.look();
    runtime.block(500);
    await lease.renew();
    runtime.block(1_000);
    expect(await history.release(lease)).toBe(false);
    expect(history.events.map(({ type }) => type)).toEqual(['call', 'granted', 'held', 'release', 'lost', 'released']);
    expect(checkHistory(history.events)).toEqual([]);
  });

  it('passes on why a release failed, and counts it as the end', async () => {
    const { open, history } = createSetting();
    const lease = leaseLike(await open().acquire('k'), { release: () => Promise.reject(new Error('no answer')) });
    history.granted('one', lease);
    await expect(history.release(lease)).rejects.toThrow('no answer');
    expect(checkHistory(history.events)).toEqual([]);
  });

  it('ends all leases of a process that crashed, and of no other', async () => {
    const { open, history } = createSetting();
    const [one, two] = [open(), open()];
    const gone = await one.acquire('a');
    history.granted('one', gone);
    const left = await two.acquire('c');
    history.granted('two', left);
    history.crashed('one');
    const { length } = history.events;
    await history.release(gone);
    expect(history.events).toHaveLength(length);
    expect(checkHistory(history.events)).toMatchObject([
      { rule: 'liveness', ids: [left.owner], message: `${left.owner}: it was neither released nor lost` },
    ]);
  });

  it('notices a lease that comes back', async () => {
    const { open, history } = createSetting();
    const lease = await open().acquire('k');
    let remaining = 10;
    history.granted(
      'one',
      leaseLike(lease, {
        get remaining() {
          return remaining;
        },
      }),
    );
    for (const each of [0, 0, 10]) {
      remaining = each;
      history.look();
    }
    history.crashed('one');
    expect(checkHistory(history.events)).toMatchObject([
      { rule: 'answers', message: `${lease.owner} came back after it was over` },
    ]);
  });
});

/** `lease`, with some of it answering something else. */
function leaseLike(lease: Lease, instead: Partial<Lease>): Lease {
  return new Proxy(lease, { get: (_, name) => Reflect.get(name in instead ? instead : lease, name) });
}
