import { expect, onTestFinished, test } from 'vitest';
import { LockError, createLocks, createMemoryProvider } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, LockProvider } from '../../../core/src/index.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { listen } from '../../../core/test/support/listen.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { collect } from '../../../test-servers/src/support/collect.ts';
import { pause } from '../../../core/src/time/pause.ts';
import { threeMembersIn, timed } from '../support/combined.ts';
import { through } from '../../../core/test/support/through.ts';
import { unavailable } from '../../../core/test/support/lock-error.ts';

const claim: Claim = { key: 'job', owner: 'me/1', ttl: 60_000, mode: 'exclusive' };

/** A member that can stand still: then its calls settle after 5 s, with an error. */
function freezable(runtime: VirtualRuntime, provider: LockProvider = createMemoryProvider({ runtime })) {
  const state = { frozen: false, lists: 0, closed: false };
  const pass = async <T>(call: () => Promise<T>): Promise<T> => {
    if (!state.frozen) return await call();
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, 5_000, false));
    throw new LockError('LOCK_UNAVAILABLE', 'No answer.');
  };
  const member: LockProvider = {
    ...through(provider, pass),
    async *list(prefix) {
      state.lists += 1;
      await pass(async () => {});
      for await (const key of provider.list?.(prefix) ?? []) {
        await pass(async () => {});
        yield key;
      }
    },
    close: async () => {
      if (state.frozen) await new Promise<void>((resolve) => void runtime.setTimer(resolve, 5_000, false));
      state.closed = true;
      await provider.close();
    },
  };
  return { member, state };
}

function setting(count = 3) {
  const runtime = new VirtualRuntime();
  const all = Array.from({ length: count }, () => freezable(runtime));
  const provider = combine(
    all.map(({ member }) => member),
    { runtime },
  );
  return { runtime, provider, states: all.map(({ state }) => state) as [State, State, State], all };
}

type State = ReturnType<typeof freezable>['state'];

const keysOf = (provider: LockProvider): Promise<readonly string[]> => collect(provider.list?.('') ?? []);

async function take(provider: LockProvider, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await provider.tryAcquire({ ...claim, key, owner: `${key}/1` });
}

test.each([0, 1, 2])(
  'list costs a member timeout where member %i is silent, and nothing once that is known',
  async (index) => {
    const { runtime, provider, states } = setting();
    await take(provider, 'a', 'b', 'c');
    (states[index] as State).frozen = true;
    const first = await timed(runtime, () => keysOf(provider));
    expect(first.answer.toSorted()).toEqual(['a', 'b', 'c']);
    expect(first.took).toBeGreaterThanOrEqual(500);
    expect(first.took).toBeLessThan(550);
    await timed(runtime, () => provider.tryAcquire({ ...claim, key: 'd' }));
    await runtime.advance(1_000);
    const second = await timed(runtime, () => keysOf(provider));
    expect(second.answer.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(second.took).toBeLessThan(50);
  },
);

test('list asks all members at once, and gives no key twice', async () => {
  const { runtime, provider, states } = setting();
  await take(provider, 'a', 'b');
  const keys = provider.list?.('')[Symbol.asyncIterator]();
  await keys?.next();
  expect(states.map(({ lists }) => lists)).toEqual([1, 1, 1]);
  await keys?.return?.();
  const { answer } = await timed(runtime, () => keysOf(provider));
  expect(answer.toSorted()).toEqual(['a', 'b']);
});

test('list goes on past a member that stops in the middle', async () => {
  const { runtime, provider, states } = setting();
  await take(provider, 'a', 'b', 'c');
  const { answer, took } = await timed(runtime, async () => {
    const keys: string[] = [];
    for await (const key of provider.list?.('') ?? []) {
      keys.push(key);
      states[1].frozen = true;
    }
    return keys;
  });
  expect(answer.toSorted()).toEqual(['a', 'b', 'c']);
  expect(took).toBeLessThan(550);
});

test('list rejects where so many members are silent that a held key may be missing', async () => {
  const { runtime, provider, states } = setting();
  await take(provider, 'a');
  states[0].frozen = true;
  states[2].frozen = true;
  const { answer } = await timed(runtime, () => keysOf(provider).catch((error: unknown) => error));
  expect(answer).toMatchObject(unavailable(/^2 of 3 members gave no usable answer, and 2 are needed\./));
});

test('a reader that takes its time makes no member late, and one that stops early leaves nothing', async () => {
  const { runtime, provider } = setting();
  await take(provider, 'a', 'b', 'c', 'd');
  const { answer } = await timed(runtime, async () => {
    const keys: string[] = [];
    for await (const key of provider.list?.('') ?? []) {
      keys.push(key);
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 2_000, false));
    }
    return keys;
  });
  expect(answer.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  for await (const _ of provider.list?.('') ?? []) break;
  await timed(runtime, () => provider.close());
  await runtime.advance(20);
  expect(runtime.pendingTimers).toBe(0);
});

test.each(['with a lease in it', 'without a lease'])(
  'close costs one member timeout where a member stands still, %s',
  async (how) => {
    const { runtime, provider, states } = setting();
    if (how === 'with a lease in it') await take(provider, 'job');
    states[1].frozen = true;
    if (how === 'with a lease in it') void provider.release({ ...claim, owner: 'job/1' });
    const { took } = await timed(runtime, () => provider.close());
    expect(took).toBeGreaterThanOrEqual(500);
    expect(took).toBeLessThan(550);
    expect(states.map(({ closed }) => closed)).toEqual([true, false, true]);
    // It goes on behind.
    await runtime.advance(10_000);
    expect(states[1].closed).toBe(true);
    expect(runtime.pendingTimers).toBe(0);
  },
);

test('close waits on while a member takes votes back, however slowly', async () => {
  const runtime = new VirtualRuntime();
  const slow = createMemoryProvider({ runtime });
  const { release } = slow;
  let turn = Promise.resolve();
  slow.release = (asked) => {
    turn = turn.then(() => new Promise<void>((resolve) => void runtime.setTimer(resolve, 300, false)));
    return turn.then(() => release.call(slow, asked));
  };
  const provider = combine([createMemoryProvider({ runtime }), createMemoryProvider({ runtime }), slow], { runtime });
  const keys = ['a', 'b', 'c', 'd', 'e'];
  await take(provider, ...keys);
  for (const key of keys) void provider.release({ ...claim, key, owner: `${key}/1` });
  const { took } = await timed(runtime, () => provider.close());
  expect(took).toBeGreaterThanOrEqual(1_500);
});

test.each(['both', 'to'] as const)(
  'a migration in "%s" closes within a second where a store stands still',
  async (phase) => {
    const runtime = new VirtualRuntime();
    const [from, to] = [freezable(runtime), freezable(runtime)];
    const provider = migrate({ name: 'move', from: from.member, to: to.member, phase, runtime });
    onTestFinished(() => void provider.close());
    expect((await timed(runtime, () => provider.tryAcquire(claim))).answer).toMatchObject({ granted: true });
    from.state.frozen = true;
    if (phase === 'both') void provider.release(claim).catch(() => {});
    const { took } = await timed(runtime, () => provider.close());
    expect(took).toBeLessThan(1_100);
    expect(to.state.closed).toBe(true);
    await runtime.advance(20_000);
    expect(from.state.closed).toBe(true);
  },
);

test('it tells who does not answer, and why, where the others are too few', async () => {
  const down = [false, false, false];
  const members = down.map((_, index) =>
    through(createMemoryProvider(), async (call) => {
      if (down[index]) throw new LockError('LOCK_UNAVAILABLE', `connect ECONNREFUSED ${index}`);
      return await call();
    }),
  );
  const provider = combine(members);
  onTestFinished(() => provider.close());
  const ask = async (): Promise<unknown> => await provider.tryAcquire({ ...claim, ttl: 1_000 }).catch(() => {});
  await ask();
  down.fill(true, 2);
  await provider.renew(claim);
  expect(provider.outage?.()).toBeUndefined();
  down.fill(true, 1);
  await provider.renew(claim).catch(() => {});
  expect(provider.outage?.()).toMatchObject(
    unavailable(/^2 of 3 members do not answer, and 2 are needed.* member 2 of 3 .*ECONNREFUSED 1/),
  );
  down.fill(false);
  await provider.renew(claim).catch(() => {});
  expect(provider.outage?.()).toBeUndefined();
});

/** Members that answer the calls of each kind in their order, 5 in 1 ms. `asked`: how many. */
function slowMembers(runtime: VirtualRuntime) {
  const slow = { asked: 0 };
  const members = threeMembersIn(runtime).map((member): LockProvider => {
    let turn: Promise<unknown> = Promise.resolve();
    const inTurn = async <T>(call: () => Promise<T>): Promise<T> => {
      slow.asked += 1;
      if (slow.asked % 5 === 0) turn = turn.then(() => pause(runtime, 1));
      await turn;
      return await call();
    };
    return {
      ...through(member, (call) => call()),
      tryAcquire: (own, wake) => inTurn(() => member.tryAcquire(own, wake)),
      inspect: (key) => inTurn(() => member.inspect(key)),
    };
  });
  return { slow, provider: combine(members, { runtime, memberTimeout: 200 }) };
}

test('a burst of calls is no silence: claims turn to no other member while earlier calls are answered', async () => {
  const runtime = new VirtualRuntime();
  const { slow, provider } = slowMembers(runtime);
  const locks = createLocks(provider, { runtime });
  await timed(runtime, () => locks.acquire('job', { ttl: 60_000, renew: false }));
  const end = new AbortController();
  const waits = Array.from({ length: 2_000 }, () => locks.acquire('job', { signal: end.signal }).catch(() => {}));
  slow.asked = 0;
  // The last of them is answered after 400 ms.
  for (let step = 0; step < 100; step += 1) await runtime.advance(10);
  expect(slow.asked).toBe(0);
  expect((await timed(runtime, () => locks.inspect('job'))).answer.waiters).toBe(2_000);
  end.abort();
  await timed(runtime, () => Promise.all(waits));
});

test('nor is a burst of looks at a key: no member is suspected', async () => {
  const told = listen('locks:member');
  const runtime = new VirtualRuntime();
  const { provider } = slowMembers(runtime);
  const looks = Array.from({ length: 2_000 }, () => provider.inspect('job'));
  const { took } = await timed(runtime, () => Promise.all(looks));
  expect(took).toBeGreaterThan(300);
  expect(told).toEqual([]);
});
