import { describe, expect, it, onTestFinished } from 'vitest';
import {
  LockError,
  createLocks,
  createMemoryProvider,
  createMemoryStore,
  subscribe,
  untilAborted,
} from '../../src/index.ts';
import { combine } from '../../../composites/src/index.ts';
import type { ElectOptions, Election, ElectionMessage, Leader, Lease, Locks } from '../../src/index.ts';
import { createDeferred } from '../support/deferred.ts';
import { createFreeSetting, expectNothingLeft, watch } from '../support/setting.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

const ttl = 1_000;

interface Fleet {
  readonly runtime: VirtualRuntime;
  readonly all: readonly Locks[];
  /** The leases of all terms, in order. */
  readonly terms: Lease[];
  /** A candidate that leads until it is told to end. */
  stand(index: number, options?: ElectOptions): Election;
}

/** Processes called p0, p1, … on one store. */
function fleet(processes = 3): Fleet {
  const runtime = new VirtualRuntime();
  const store = createMemoryStore({ runtime });
  const all = Array.from({ length: processes }, (_, index) =>
    createLocks(createMemoryProvider({ store }), { runtime, ttl, label: `p${index}` }),
  );
  const terms: Lease[] = [];
  return {
    runtime,
    all,
    terms,
    stand(index, options) {
      return all[index]!.elect('job', (lease) => lead(lease, terms), { rest: 100, ...options });
    },
  };
}

/** Leads until its signal aborts. */
async function lead(lease: Lease, terms: Lease[]): Promise<void> {
  expect(terms.filter(({ held }) => held)).toEqual([]);
  terms.push(lease);
  await untilAborted(lease.signal);
}

/** Notes what an observer is told, until `end`. */
function observe(source: AsyncIterable<Leader | null>): {
  readonly seen: (string | null)[];
  readonly over: Promise<void>;
} {
  const seen: (string | null)[] = [];
  const follow = async (): Promise<void> => {
    for await (const leader of source) seen.push(leader?.label ?? null);
  };
  return { seen, over: follow() };
}

describe('locks.elect', () => {
  it('lets one candidate lead, and the next after it has resigned', async () => {
    const { runtime, terms, stand } = fleet();
    const candidates = [stand(0), stand(1), stand(2)];
    await runtime.advance(1_000);
    expect(candidates.map(({ leading }) => leading)).toEqual([true, false, false]);
    expect(await candidates[2]?.leader()).toEqual({ label: 'p0', owner: terms[0]?.owner, token: terms[0]?.token });
    expect(await candidates[1]?.resign()).toBe(false);
    const { time } = runtime;
    expect(await candidates[0]?.resign()).toBe(true);
    await runtime.advance(0);
    // At once: no timer is in between.
    expect([runtime.time, candidates.map(({ leading }) => leading)]).toEqual([time, [false, true, false]]);
    expect(terms[0]?.signal.reason).toMatchObject({ code: 'LOCK_CLOSED', key: 'job' });
    // It stands again, behind the others.
    await runtime.advance(200);
    await candidates[1]?.resign();
    await candidates[2]?.resign();
    await runtime.advance(1_000);
    expect(terms.map(({ owner }) => owner.slice(0, 2))).toEqual(['p0', 'p1', 'p2', 'p0']);
  });

  it('keeps the lease until the work of the leader has ended', async () => {
    const { runtime, all, stand } = fleet();
    const gate = createDeferred();
    const first = all[0]!.elect('job', () => gate.promise);
    const second = stand(1);
    await runtime.advance(10);
    const resigned = watch(first.resign());
    await runtime.advance(4_900);
    expect([resigned.state, first.leading, second.leading]).toEqual(['open', true, false]);
    gate.resolve();
    await runtime.advance(0);
    expect([resigned.value, first.leading, second.leading]).toEqual([true, false, true]);
  });

  it('stands again after errors and ends of its work, resting longer after each error', async () => {
    const { runtime, all } = fleet();
    const begun: number[] = [];
    const told: unknown[] = [];
    const subscription = subscribe('locks:election', (message: ElectionMessage) => told.push(message));
    onTestFinished(subscription);
    const failure = new Error('cannot lead');
    const candidate = all[0]!.elect(
      'job',
      () => {
        begun.push(runtime.time);
        if (begun.length < 8) throw failure;
      },
      { rest: 100 },
    );
    await runtime.advance(20_000);
    await candidate.stop();
    const rests = begun.slice(1).map((at, index) => at - begun[index]!);
    [100, 200, 400, 800, 1_600, 1_600, 1_600, 100].forEach((longest, index) => {
      expect(rests[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(rests[index]).toBeLessThanOrEqual(longest + 2);
    });
    expect(told.slice(0, 2)).toEqual([
      {
        provider: 'memory',
        key: 'job',
        event: 'elected',
        owner: expect.stringMatching(/^p0/),
        token: expect.any(BigInt),
      },
      { provider: 'memory', key: 'job', event: 'ended', error: failure },
    ]);
    expect(told.at(-1)).toEqual({ provider: 'memory', key: 'job', event: 'ended' });
  });

  it('warns of an error that no listener hears of', async () => {
    const { runtime, all } = fleet();
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const candidate = all[0]!.elect('job', () => {
      throw new Error('cannot lead');
    });
    await runtime.advance(10);
    await candidate.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toMatchObject([{ code: 'LOCKS_ELECTION', message: expect.stringContaining('"job"') as unknown }]);
  });

  it('counts a rejection without an error as a failure too', async () => {
    const { runtime, all } = fleet();
    const told: ElectionMessage[] = [];
    onTestFinished(subscribe('locks:election', (message) => void told.push(message)));
    const nothing: unknown = undefined;
    const fails = async (): Promise<void> => {
      await Promise.resolve();
      throw nothing;
    };
    const candidate = all[0]!.elect('job', fails, { rest: 100 });
    await runtime.advance(10_000);
    await candidate.stop();
    const ended = told.filter(({ event }) => event === 'ended');
    expect(ended[0]).toEqual({ provider: 'memory', key: 'job', event: 'ended', error: undefined });
    expect(Object.keys(ended[0] ?? {})).toContain('error');
    expect(ended.length).toBeLessThan(15);
  });

  it.each<[string, (election: Election, locks: Locks) => Promise<unknown>]>([
    ['stop', (election) => election.stop()],
    ['resign', (election) => election.resign()],
    ['close', (_election, locks) => locks.close()],
  ])('%s is no failure of a leader that rejects with the reason of its signal, or because of it', async (_how, end) => {
    for (const errorOf of [(reason: unknown) => reason, (cause: unknown) => new Error('aborted', { cause })]) {
      const { runtime, all } = fleet();
      const told: ElectionMessage[] = [];
      const unsubscribe = subscribe('locks:election', (message) => void told.push(message));
      const election = all[0]!.elect('job', async ({ signal }) => {
        await untilAborted(signal);
        throw errorOf(signal.reason);
      });
      await runtime.advance(10);
      const over = end(election, all[0]!);
      await runtime.advance(10);
      await over;
      unsubscribe();
      expect(told.map(({ event }) => event).slice(0, 2)).toEqual(['elected', 'ended']);
      expect(told[1]).not.toHaveProperty('error');
      void election.stop();
    }
  });

  it('stop waits no longer than its drain, and a close no longer than its own', async () => {
    const { runtime, all, stand, terms } = fleet();
    const hung = all[0]!.elect('job', () => new Promise(() => {}));
    stand(1);
    await runtime.advance(10);
    const stopped = watch(hung.stop({ drain: '2s' }));
    const ended = watch(hung.ended);
    await runtime.advance(1_990);
    expect([stopped.state, ended.state, terms]).toEqual(['open', 'open', []]);
    await runtime.advance(20);
    expect([stopped.state, ended.state, terms.length]).toEqual(['fulfilled', 'fulfilled', 1]);
    await expect(hung.stop({ drain: -1 })).rejects.toThrow('stop: option "drain" must be a number of ms');

    const other = all[2]!.elect('other', () => new Promise(() => {}));
    await runtime.advance(10);
    const closed = watch(all[2]!.close());
    const over = watch(other.ended);
    await runtime.advance(4_990);
    expect(over.state).toBe('open');
    await runtime.advance(20);
    expect([closed.state, over.state]).toEqual(['fulfilled', 'fulfilled']);
  });

  it('whenLeading gives the lease of the term, and tells a candidate that stands no more', async () => {
    const { runtime, stand, terms } = fleet();
    const [first, second] = [stand(0), stand(1, { label: 'blue' })];
    await runtime.advance(10);
    expect((await first.whenLeading()).token).toBe(terms[0]?.token);
    expect(await first.inspect()).toMatchObject({ holders: [{ owner: terms[0]?.owner }], waiters: 1 });
    const next = watch(second.whenLeading());
    const gone = new AbortController();
    const aborted = watch(second.whenLeading({ signal: gone.signal }));
    await runtime.advance(10);
    expect(next.state).toBe('open');
    gone.abort('enough');
    await first.stop();
    await runtime.advance(10);
    expect(next.value).toMatchObject({ key: 'job', held: true, token: terms[1]?.token });
    expect(terms[1]?.owner).toMatch(/^p1:blue\//);
    expect(aborted.error).toBe('enough');
    await expect(first.whenLeading()).rejects.toMatchObject({ code: 'LOCK_CLOSED', key: 'job' });
    await expect(second.whenLeading({ signal: gone.signal })).rejects.toBe('enough');
    await second.stop();
  });

  it('stands again after a loss, when the work before has ended', async () => {
    const { runtime, all } = fleet();
    const gate = createDeferred();
    const terms: Lease[] = [];
    const candidate = all[0]!.elect(
      'job',
      (lease) => {
        terms.push(lease);
        return gate.promise;
      },
      { rest: 100 },
    );
    await runtime.advance(10);
    await all[1]!.forceRelease((await all[1]!.inspect('job')).holders[0]!);
    await runtime.advance(3_000);
    expect(terms[0]?.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    expect([terms.length, candidate.leading]).toEqual([1, false]);
    gate.resolve();
    await runtime.advance(200);
    expect(terms.length).toBeGreaterThan(1);
    await candidate.stop();
  });

  it('ends a term after maxHold', async () => {
    const { runtime, terms, stand } = fleet();
    stand(0, { maxHold: 3_000 });
    stand(1);
    await runtime.advance(4_000);
    expect(terms.map(({ owner }) => owner.slice(0, 2))).toEqual(['p0', 'p1']);
  });

  it.each(['stop', 'signal', 'close'])('ends by %s, and leaves nothing', async (how) => {
    const { runtime, all, terms, stand } = fleet();
    const controller = new AbortController();
    const candidates = [stand(0, { signal: controller.signal }), stand(1)];
    await runtime.advance(10);
    if (how === 'stop') await candidates[0]?.stop();
    if (how === 'signal') controller.abort();
    if (how === 'close') void all[0]!.close();
    const ended = watch(candidates[0]!.ended);
    await runtime.advance(5_000);
    expect(ended.state).toBe('fulfilled');
    expect(candidates.map(({ leading }) => leading)).toEqual([false, true]);
    expect(terms).toHaveLength(2);
    await candidates[1]?.stop();
    await runtime.advance(10);
    expect(await all[2]!.inspect('job')).toMatchObject({ holders: [], waiters: 0 });
    await expectNothingLeft({ runtime, locks: all[1]! });
  });

  it.each(['stop', 'resign', 'asyncDispose'] as const)('may be told to end by its own leader: %s', async (how) => {
    const { runtime, all } = fleet(2);
    let terms = 0;
    const ends: unknown[] = [];
    const election: Election = all[0]!.elect(
      'job',
      async ({ signal }) => {
        terms += 1;
        if (how === 'asyncDispose') await election[Symbol.asyncDispose]();
        else ends.push(await election[how]());
        ends.push(signal.aborted);
      },
      { rest: 100 },
    );
    await runtime.advance(1_000);
    expect(ends.slice(0, 2)).toEqual(how === 'asyncDispose' ? [true] : [how === 'resign' ? true : undefined, true]);
    expect(terms > 1).toBe(how === 'resign');
    const stopped = watch(election.stop());
    await runtime.advance(10);
    expect(stopped.state).toBe('fulfilled');
    expect(await all[1]!.inspect('job')).toMatchObject({ holders: [], waiters: 0 });
  });

  it('ends by its own leader inside of another term, and waits for work that only began there', async () => {
    const { runtime, all } = fleet(2);
    const order: string[] = [];
    const later = createDeferred();
    const outer: Election = all[0]!.elect('outer', async () => {
      const inner: Election = all[0]!.elect('inner', async ({ signal }) => {
        await outer.resign();
        order.push('inner has resigned outer');
        await inner.stop();
        order.push(`inner ends: ${signal.aborted}`);
      });
      await inner.ended;
      void later.promise.then(async () => {
        await outer.stop();
        order.push('outer has stopped');
      });
      order.push('outer ends');
    });
    await runtime.advance(1);
    expect(order).toEqual(['inner has resigned outer', 'inner ends: true', 'outer ends']);
    later.resolve();
    await runtime.advance(20_000);
    expect(order.at(-1)).toBe('outer has stopped');
  });

  it('its leader may stop it, and wait for its end', async () => {
    const { runtime, all } = fleet(2);
    const election: Election = all[0]!.elect('job', async () => {
      void election.stop();
      await election.ended;
    });
    const ended = watch(election.ended);
    await runtime.advance(10);
    expect(ended.state).toBe('fulfilled');
    expect(await all[1]!.inspect('job')).toMatchObject({ holders: [] });
  });

  it.each(['stop', 'resign'] as const)('two leaders that call %s of each other end after drain', async (how) => {
    const { runtime, all } = fleet(2);
    const ends: unknown[] = [];
    const both: Election[] = all.map((locks, index) =>
      locks.elect(`job-${index}`, async () => {
        if (ends.length > 1) return;
        await both[1 - index]!.whenLeading();
        ends.push(await both[1 - index]![how]());
      }),
    );
    const ended = watch(Promise.all(both.map((each) => each.ended)));
    await runtime.advance(4_990);
    expect(ends).toEqual([]);
    await runtime.advance(1_000);
    // The second is released by the end of the first.
    expect(ends).toEqual(how === 'stop' ? [undefined, undefined] : [false, true]);
    await Promise.all(both.map((each) => each.stop()));
    await runtime.advance(10);
    expect(ended.state).toBe('fulfilled');
  });

  it('its leader may wait for a worker that stops it', async () => {
    const { runtime, all } = fleet(1);
    const asked = createDeferred<Election>();
    const worker = asked.promise.then(async (election) => await election.stop());
    const election: Election = all[0]!.elect('job', async () => {
      asked.resolve(election);
      await worker;
    });
    const ended = watch(election.ended);
    await runtime.advance(4_990);
    expect(ended.state).toBe('open');
    await runtime.advance(20);
    expect(ended.state).toBe('fulfilled');
  });

  it('its leader may close the Locks: that ends after drain at the latest', async () => {
    const { runtime, all } = fleet(2);
    all[0]!.elect('job', async () => await all[0]!.close());
    const waiting = watch(all[1]!.acquire('job'));
    await runtime.advance(6_000);
    expect(waiting.state).toBe('fulfilled');
  });

  it('that waits or rests ends at once too', async () => {
    const { runtime, all, terms, stand } = fleet();
    stand(0);
    await runtime.advance(10);
    const waiting = stand(1);
    const resting = all[2]!.elect('other', () => {}, { rest: 60_000 });
    await runtime.advance(10);
    await waiting.stop();
    await resting[Symbol.asyncDispose]();
    expect(await all[2]!.inspect('job')).toMatchObject({ waiters: 0 });
    expect(terms).toHaveLength(1);
    const aborted = all[1]!.elect('job', () => {}, { signal: AbortSignal.abort() });
    expect(await aborted.ended).toBeUndefined();
  });

  it('ends with the error that standing again would not mend', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => call.reject(new LockError('LOCK_MISCONFIGURED', 'no rights'));
    const candidate = locks.elect('job', () => {});
    const ended = watch(candidate.ended);
    await runtime.advance(10);
    expect(ended.error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    provider.answers.tryAcquire = (call) => call.reject();
    const other = locks.elect('job', () => {}, { ttl: 100, rest: 10 });
    await runtime.advance(5_000);
    expect(provider.attempts.length).toBeGreaterThan(10);
    await other.stop();
  });

  it('refuses wrong arguments', () => {
    const { all } = fleet();
    const [locks] = all as [Locks];
    for (const call of [
      () => locks.elect('', () => {}),
      () => locks.elect('job', undefined as never),
      () => locks.elect('job', () => {}, { rest: 0 }),
      () => locks.elect('job', () => {}, { wait: 5 } as never),
      () => locks.leadership('job', { poll: -1 }),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'LOCK_INVALID' }));
    }
  });
});

describe('an observer', () => {
  it('sees each change once and in order, also a vacancy', async () => {
    const { runtime, all, stand } = fleet();
    const observers = [all[2]!.leadership('job', { poll: 50 }), all[0]!.leadership('job', { poll: 80 })].map(observe);
    await runtime.advance(200);
    const candidates = [stand(0), stand(1, { rest: 5_000 })];
    await runtime.advance(500);
    await candidates[0]!.resign();
    await runtime.advance(500);
    await candidates[1]!.resign();
    await runtime.advance(500);
    await candidates[0]!.stop();
    await runtime.advance(1_000);
    for (const { seen } of observers) expect(seen).toEqual([null, 'p0', 'p1', 'p0', null]);
    for (const locks of all) void locks.close();
    await runtime.advance(1_000);
    for (const { over } of observers) await over;
    expect(runtime.keepAliveTimers).toBe(0);
  });

  it('hears nothing through an outage, of old answers, and of a vacancy of one look', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    const holder = (label: string, token: bigint) => ({
      key: 'job',
      waiters: 0,
      holders: [{ owner: `${label}/1`, mode: 'exclusive' as const, token }],
    });
    const none = { key: 'job', waiters: 0, holders: [] };
    const answers = [
      holder('a', 5n),
      none,
      holder('a', 5n),
      'outage',
      holder('b', 7n),
      holder('a', 5n),
      none,
      none,
      none,
    ];
    provider.inspect = () => {
      const answer = answers.shift() ?? holder('c', 9n);
      return typeof answer === 'string' ? Promise.reject(new Error(answer)) : Promise.resolve(answer);
    };
    const { seen } = observe(locks.leadership('job', { poll: 100 }));
    await runtime.advance(3_000);
    expect(seen).toEqual(['a', 'b', null, 'c']);
  });

  it('hears nothing of votes on a quorum that others turn away', async () => {
    const runtime = new VirtualRuntime();
    const members = [0, 1, 2].map(() => createMemoryProvider({ store: createMemoryStore({ runtime }) }));
    const provider = combine(members, { runtime });
    const locks = createLocks(provider, { runtime, ttl, label: 'p0' });
    const { seen } = observe(locks.leadership('job', { poll: 100 }));
    await runtime.advance(250);
    const votes = { key: 'job', owner: 'voter/1~1', mode: 'exclusive', ttl } as const;
    for (const member of members.slice(1)) await member.tryAcquire(votes);
    expect((await provider.inspect('job')).holders).toMatchObject([{ owner: 'voter/1' }]);
    await runtime.advance(100);
    for (const member of members.slice(1)) await member.release(votes);
    await locks.acquire('job');
    await runtime.advance(100);
    expect(seen).toEqual([null]);
    await runtime.advance(100);
    expect(seen).toEqual([null, 'p0']);
  });

  it('ends with the reason of its signal', async () => {
    const { runtime, all } = fleet();
    const controller = new AbortController();
    const outcome = watch(observe(all[0]!.leadership('job', { signal: controller.signal })).over);
    await runtime.advance(3_500);
    const reason = new Error('not interested');
    controller.abort(reason);
    await runtime.advance(0);
    expect(outcome.error).toBe(reason);
    expect(runtime.keepAliveTimers).toBe(0);
  });
});
