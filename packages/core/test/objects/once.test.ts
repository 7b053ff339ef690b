import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import { combine, migrate, namespaced } from '../../../composites/src/index.ts';
import type { LockProvider, Locks, TryResult } from '../../src/index.ts';
import { createFreeSetting, watch } from '../support/setting.ts';
import type { Watched } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

/** Five processes on one store. */
function fleet(): { readonly runtime: VirtualRuntime; readonly processes: readonly Locks[] } {
  const runtime = new VirtualRuntime();
  const store = createMemoryStore({ runtime });
  const make = (): Locks => createLocks(createMemoryProvider({ store }), { runtime });
  return { runtime, processes: [make(), make(), make(), make(), make()] };
}

/** Runs once in each slot of a second, and notes the runs by the store's time. */
async function tick(processes: readonly Locks[], runtime: VirtualRuntime, runs: number[], ms = 20): Promise<void> {
  const calls = processes.map((locks) =>
    locks.once('job', { every: '1s' }, async () => {
      runs.push(runtime.time);
      await new Promise<void>((resolve) => runtime.setTimer(resolve, ms, true));
    }),
  );
  await runtime.advance(100);
  await Promise.all(calls);
}

describe('once, for a slot with a name', () => {
  it('runs the first call of all processes, and no other', async () => {
    const { one, two } = twoProcesses();
    let runs = 0;
    const call = (locks: Locks, slot: string): Promise<TryResult<string>> =>
      locks.once('report', slot, () => `run ${(runs += 1)}`);
    expect(await call(one, '2026-11-23')).toEqual({ held: true, value: 'run 1' });
    expect(await call(two, '2026-11-23')).toEqual({ held: false });
    expect(await call(one, '2026-11-23')).toEqual({ held: false });
    expect(await call(two, '2026-11-24')).toEqual({ held: true, value: 'run 2' });
  });

  it('remembers the slot for a day, or for as long as it is to be kept', async () => {
    const { runtime, one, two } = twoProcesses();
    const call = (slot: string, options = {}): Promise<TryResult<number>> => two.once('report', slot, options, () => 1);
    await one.once('report', 'usual', () => 0);
    await one.once('report', 'short', { keep: 5_000 }, () => 0);
    await runtime.advance(4_999);
    expect((await call('short')).held).toBe(false);
    await runtime.advance(2);
    expect((await call('short')).held).toBe(true);
    await runtime.advance(86_400_000 - 5_010);
    expect((await call('usual')).held).toBe(false);
    await runtime.advance(20);
    expect((await call('usual')).held).toBe(true);
  });

  it('counts a run that failed, and one that died', async () => {
    const { runtime, one, two } = twoProcesses();
    const failed = new Error('no paper');
    const failing = one.once('report', 'a', () => {
      throw failed;
    });
    await expect(failing).rejects.toBe(failed);
    expect(await two.once('report', 'a', () => 0)).toEqual({ held: false });
    const hanging: Watched<unknown> = watch(one.once('report', 'b', { renew: false }, () => new Promise(() => {})));
    await runtime.advance(60_000);
    expect(hanging.state).toBe('open');
    expect(await two.once('report', 'b', () => 0)).toEqual({ held: false });
  });

  it('tells keys and slots apart, however long they are', async () => {
    const { one } = twoProcesses();
    const long = 'x'.repeat(512);
    const names = [
      ['a', 'b/c'],
      ['a/b', 'c'],
      ['a', 'b'],
      [long, long],
      [long, `${long}x`],
      [long.slice(1), `x${long}`],
    ] as const;
    for (const [key, slot] of names) expect((await one.once(key, slot, () => 0)).held).toBe(true);
    for (const [key, slot] of names) expect((await one.once(key, slot, () => 0)).held).toBe(false);
  });

  it('gives the work a lease with a token, and tells of its loss', async () => {
    const { runtime, one } = twoProcesses();
    const running = one.once('report', 'a', { maxHold: 500 }, async ({ token }) => {
      await new Promise<void>((resolve) => runtime.setTimer(resolve, 1_000, true));
      return token > 0n;
    });
    const watched = watch(running);
    await runtime.advance(1_000);
    expect(watched.error).toMatchObject({ code: 'LOCK_LOST', result: true });
  });
});

describe('once, for slots by the clock of the store', () => {
  it('runs once in each, also where ticks come a little early or late', async () => {
    const { runtime, processes } = fleet();
    const runs: number[] = [];
    const start = Math.ceil((runtime.clock.origin + runtime.time) / 1_000) * 1_000 - runtime.clock.origin;
    for (let round = 1; round <= 20; round += 1) {
      for (const [index, locks] of processes.entries()) {
        const jitter = [-30, 0, 12, 45, 80][(index + round) % 5]!;
        await runtime.advance(Math.max(0, start + round * 1_000 + jitter - runtime.time));
        await tick([locks], runtime, runs);
      }
    }
    expect(runs).toHaveLength(20);
  });

  it('runs once where all ask at the same moment', async () => {
    const { runtime, processes } = fleet();
    const runs: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      await tick(processes, runtime, runs);
      await runtime.advance(900);
    }
    expect(runs).toHaveLength(10);
  });

  it('runs in the next slot after a run that died', async () => {
    const { runtime, processes } = fleet();
    const [first, ...others] = processes as [Locks, ...Locks[]];
    void first.once('job', { every: '1s' }, { renew: false }, () => new Promise(() => {}));
    await runtime.advance(10);
    const runs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await tick(others, runtime, runs);
      await runtime.advance(round === 0 ? 890 : 900);
    }
    expect(runs).toHaveLength(2);
  });

  it('takes the calls around `at` for those of one slot', async () => {
    const { runtime, processes } = fleet();
    const [locks] = processes as [Locks];
    const half = { every: '1h', at: '30m' } as const;
    const now = runtime.clock.origin + runtime.time;
    const until = (Math.ceil(now / 3_600_000) + 1 / 2) * 3_600_000 - now;
    await runtime.advance(until - 5);
    const early = await locks.once('job', half, () => 0);
    const other = await locks.once('other', { every: '1h' }, () => 0);
    await runtime.advance(10);
    expect([early.held, (await locks.once('job', half, () => 0)).held]).toEqual([true, false]);
    expect([other.held, (await locks.once('other', { every: '1h' }, () => 0)).held]).toEqual([true, true]);
  });

  it('does not run when the slot is over before the lock is granted', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    Object.assign(provider, { time: async () => 1_000_000 });
    delete provider.answers.tryAcquire;
    const calling = watch(locks.once('job', { every: 1_000 }, () => 'late'));
    await runtime.advance(500);
    provider.attempts[0]?.grant();
    await runtime.advance(10);
    expect(calling.value).toEqual({ held: false });
  });

  it('is told the time by composites', async () => {
    const runtime = new VirtualRuntime();
    const member = (): LockProvider => createMemoryProvider({ store: createMemoryStore({ runtime }) });
    const [a, b, c] = [member(), member(), member()] as const;
    const without = Object.assign(member(), { time: undefined }) as LockProvider;
    for (const provider of [
      namespaced(a, 'app'),
      combine([a, b, c], { runtime }),
      migrate({ from: a, to: b, phase: 'both', name: 'm', runtime }),
    ]) {
      expect(Math.abs((await provider.time!()) - (runtime.clock.origin + runtime.time))).toBeLessThan(1);
    }
    expect(combine([a, b, without], { runtime }).time).toBeUndefined();
    expect(namespaced(without, 'app').time).toBeUndefined();
  });
});

describe('a call of once that finds its slot taken', () => {
  /** Counts how often `provider` is asked for the state of a key. */
  function countInspections(provider: LockProvider): () => number {
    let count = 0;
    const inspect = provider.inspect.bind(provider);
    provider.inspect = (key) => {
      count += 1;
      return inspect(key);
    };
    return () => count;
  }

  it('asks one store for its holders the first time only: there a busy answer means that it ran', async () => {
    const runtime = new VirtualRuntime();
    const store = createMemoryStore({ runtime });
    const counts: (() => number)[] = [];
    const processes = Array.from({ length: 5 }, () => {
      const provider = createMemoryProvider({ store });
      counts.push(countInspections(provider));
      return createLocks(provider, { runtime });
    });
    const runs: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      await tick(processes, runtime, runs);
      await runtime.advance(900);
    }
    expect(runs).toHaveLength(10);
    expect(counts.map((count) => count()).every((count) => count <= 1)).toBe(true);
  });

  it.each<[string, (members: readonly LockProvider[], runtime: VirtualRuntime) => LockProvider]>([
    ['a quorum', (members, runtime) => combine(members, { runtime })],
    ['a migration', ([from, to], runtime) => migrate({ from: from!, to: to!, phase: 'from', name: 'm', runtime })],
  ])('asks %s each time, as calls may turn each other away there', async (_, make) => {
    const runtime = new VirtualRuntime();
    const stores = Array.from({ length: 3 }, () => createMemoryStore({ runtime }));
    const own = (): LockProvider => {
      const members = stores.map((store) => createMemoryProvider({ store }));
      return namespaced(make(members, runtime), 'app');
    };
    const provider = own();
    const count = countInspections(provider);
    const [one, two] = [createLocks(own(), { runtime }), createLocks(provider, { runtime })];
    for (let round = 0; round < 3; round += 1) {
      const first = watch(one.once('job', `${round}`, () => 0));
      await runtime.advance(100);
      expect(first.value).toEqual({ held: true, value: 0 });
      const second = watch(two.once('job', `${round}`, () => 0));
      await runtime.advance(100);
      expect(second.value).toEqual({ held: false });
    }
    expect(count()).toBe(3);
  });
});

describe('once is refused', () => {
  it('where a session ends holds, naming the trait, and for "every" without a clock', async () => {
    const sessions = createFreeSetting({ traits: { expiry: 'session' } });
    const named = { code: 'LOCK_MISCONFIGURED', message: expect.stringContaining('expiry: "ttl"') as unknown };
    await expect(sessions.locks.once('job', 'a', () => 0)).rejects.toMatchObject(named);
    const { locks } = createFreeSetting();
    const timed = { code: 'LOCK_MISCONFIGURED', message: expect.stringContaining('method "time"') as unknown };
    await expect(locks.once('job', { every: '1s' }, () => 0)).rejects.toMatchObject(timed);
    expect((await locks.once('job', 'a', () => 0)).held).toBe(true);
  });

  it.each<[string, unknown, unknown, RegExp]>([
    ['an empty slot', '', {}, /slot must be a text/],
    ['a number as the slot', 7, {}, /slot must be .* not 7/],
    ['a slot without a length', {}, {}, /"every" is missing/],
    ['slots that are too short', { every: 10 }, {}, /"every" must be an integer from 100/],
    ['an unknown part of a slot', { every: '1m', zone: 'CET' }, {}, /unknown option "zone"/],
    ['an option of other calls', 'a', { wait: 5 }, /unknown option "wait"/],
    ['keep beside every', { every: '1m' }, { keep: 5 }, /"keep" is for slots with a name/],
    ['options that are none', 'a', null, /options must be an object/],
  ])('%s', async (_, slot, options, message) => {
    const { one } = twoProcesses();
    const refused = { code: 'LOCK_INVALID', message: expect.stringMatching(message) as unknown };
    await expect(one.once('job', slot as string, options as object, () => 0)).rejects.toMatchObject(refused);
  });

  it('without work, with the options behind it, and after close', async () => {
    const { one } = twoProcesses();
    const wrong = one.once as (...args: readonly unknown[]) => Promise<unknown>;
    const refused = {
      code: 'LOCK_INVALID',
      message: expect.stringContaining('once(key, slot, options, work)') as unknown,
    };
    await expect(wrong.call(one, 'job', 'a')).rejects.toMatchObject(refused);
    await expect(wrong.call(one, 'job', 'a', () => 0, {})).rejects.toMatchObject(refused);
    await one.close();
    await expect(one.once('job', 'a', () => 0)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  });
});

describe('a call at the edge of its slot', () => {
  it.each([
    [0, []],
    [499, ['LOCKS_ONCE_EDGE']],
    [500, ['LOCKS_ONCE_EDGE']],
    [530, []],
    [999, []],
  ])('%s ms after a whole second', async (after, expected) => {
    const told: unknown[] = [];
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation((_message, about) => {
      told.push((about as NodeJS.EmitWarningOptions).code);
    });
    onTestFinished(() => warn.mockRestore());
    const { runtime, one } = twoProcesses();
    await runtime.advance(1_000 - (runtime.time % 1_000) + after);
    await one.once('job', { every: '1s' }, () => 1);
    await one.once('job', { every: '1s' }, () => 1);
    expect(told).toEqual(expected);
  });
});
