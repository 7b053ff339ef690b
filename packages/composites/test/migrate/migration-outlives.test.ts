import { describe, expect, it, onTestFinished } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine, migrate } from '../../src/index.ts';
import type { LockProvider, Locks, MemoryStore } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import type { Watched } from '../../../core/test/support/setting.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

interface Process {
  phase: Phase;
  readonly provider: LockProvider;
  readonly locks: Locks;
}

interface World {
  readonly runtime: VirtualRuntime;
  readonly from: MemoryStore;
  readonly to: MemoryStore;
  process(phase: Phase): Process;
  /** What `call` gives, within `ms`. */
  settled<T>(call: Promise<T>, ms?: number): Promise<Watched<T>>;
}

/** Processes that meet in two stores, in virtual time. */
function world(wrap: (store: LockProvider, end: 'from' | 'to') => LockProvider = (store) => store): World {
  const runtime = new VirtualRuntime();
  const [from, to] = [createMemoryStore({ runtime }), createMemoryStore({ runtime })];
  return {
    runtime,
    from,
    to,
    process(phase) {
      const stores = {
        from: wrap(createMemoryProvider({ store: from }), 'from'),
        to: wrap(createMemoryProvider({ store: to }), 'to'),
      };
      const provider = migrate({ name: 'm', ...stores, phase: () => made.phase, runtime });
      const made: Process = { phase, provider, locks: createLocks(provider, { runtime, closeProvider: true }) };
      onTestFinished(async () => {
        const closing = made.locks.close();
        await runtime.advance(60_000);
        await closing;
      });
      return made;
    },
    async settled(call, ms = 1_000) {
      const watched = watch(call, runtime);
      await runtime.advance(ms);
      return watched;
    },
  };
}

/** In ms: all processes see a change of phase, and have acted on it, well before that. */
const changeTime = 12_000;

describe('a lease that is handed over', () => {
  it.each<[Phase, Phase]>([
    ['from', 'both'],
    ['both', 'from'],
    ['both', 'to'],
    ['to', 'both'],
    ['from', 'from'],
    ['to', 'to'],
  ])('goes along with its fleet, from %s to %s', async (before, after) => {
    const { process, settled, runtime } = world();
    const [giver, resumer, other] = [process(before), process(before), process(before)];
    const given = (await settled(giver.locks.acquire('job'))).value!;
    await settled(other.locks.withLock('elsewhere', () => {}));
    const text = (await settled(given.handOver())).value!;
    for (const each of [giver, resumer, other]) each.phase = after;
    await runtime.advance(changeTime);
    const lease = (await settled(resumer.locks.resume(text), 2_000)).value!;
    expect([lease.owner, lease.token, lease.held]).toEqual([given.owner, given.token, true]);
    // No other process gets between, for longer than any ttl.
    for (let round = 0; round < 8; round += 1) {
      expect((await settled(other.locks.tryAcquire('job'), 10_000)).value).toBeNull();
      expect(lease.held).toBe(true);
    }
    expect((await settled(lease.release())).value).toBe(true);
    expect((await settled(other.locks.acquire('job'))).value!.token).toBeGreaterThan(lease.token);
  });

  it.each<[Phase, Phase]>([
    ['from', 'both'],
    ['to', 'both'],
  ])('goes to a process in another phase: from %s to %s', async (one, two) => {
    const { process, settled } = world();
    const [giver, resumer] = [process(one), process(two)];
    const given = (await settled(giver.locks.acquire('job'))).value!;
    const lease = (await settled(resumer.locks.resume((await settled(given.handOver())).value!), 2_000)).value!;
    for (let round = 0; round < 8; round += 1) {
      expect((await settled(giver.locks.tryAcquire('job'), 10_000)).value).toBeNull();
      expect(lease.held).toBe(true);
    }
    expect((await settled(lease.release())).value).toBe(true);
  });

  it.each(['combine', 'from', 'both', 'to'])('is left alone by its giver: %s', async (kind) => {
    const runtime = new VirtualRuntime();
    const stores = [0, 1, 2].map(() => createMemoryStore({ runtime }));
    const open = (): Locks => {
      const members = stores.map((store) => createMemoryProvider({ store })) as [
        LockProvider,
        LockProvider,
        LockProvider,
      ];
      const [from, to] = members;
      const provider =
        kind === 'combine'
          ? combine(members, { runtime })
          : migrate({ name: 'm', from, to, phase: kind as Phase, runtime });
      return createLocks(provider, { runtime });
    };
    const settled = async <T>(call: Promise<T>, ms = 1_000): Promise<T | undefined> => {
      const watched = watch(call, runtime);
      await runtime.advance(ms);
      return watched.value;
    };
    const [giver, resumer] = [open(), open()];
    const given = await settled(giver.acquire('job'));
    const text = await settled(given!.handOver());
    const lease = await settled(resumer.resume(text!));
    for (let round = 0; round < 20; round += 1) {
      expect(await settled(giver.tryAcquire('job'), 5_000)).toBeNull();
      expect(lease!.held).toBe(true);
    }
  });

  it('is refused with the reason, where another claim has the other store', async () => {
    const { process, settled, from } = world();
    const [giver, resumer] = [process('to'), process('both')];
    const given = (await settled(giver.locks.acquire('job'))).value!;
    const operator = createMemoryProvider({ store: from });
    await operator.tryAcquire({ key: 'job', owner: 'old/1', ttl: 600_000, mode: 'exclusive' });
    const resumed = await settled(resumer.locks.resume((await settled(given.handOver())).value!), 40_000);
    expect(resumed.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'job' });
    expect(String((resumed.error as Error).cause)).toMatch(
      'held in store "to" alone, and store "from" did not take it too: another claim has it there',
    );
  });
});

it.each(['from', 'to'] as const)('in %s the time is that of its store, for the slots of once', async (phase) => {
  const ahead = 3_600_000;
  const { process, settled, runtime } = world((store, end) =>
    end === phase ? { ...bound(store), time: async () => (await store.time!()) + ahead } : store,
  );
  const { provider, locks } = process(phase);
  await settled(locks.withLock('first', () => {}));
  for (let call = 0; call < 5; call += 1) {
    const time = (await settled(provider.time!(), 0)).value!;
    expect(time - ahead - (runtime.clock.origin + runtime.time)).toBeLessThan(1);
    expect(time - ahead - (runtime.clock.origin + runtime.time)).toBeGreaterThan(-1);
  }
});

it.each(['from', 'both', 'to'] as const)('a slot that was taken in %s stays taken', async (phase) => {
  const { process, settled } = world();
  const [one, two] = [process(phase), process(phase)];
  expect((await settled(one.locks.once('job', 'today', () => 1))).value).toEqual({ held: true, value: 1 });
  for (let round = 0; round < 5; round += 1) {
    for (let call = 0; call < 3; call += 1)
      await settled(
        one.locks.withLock(`job ${call}`, () => {}),
        60_000,
      );
    expect((await settled(two.locks.once('job', 'today', () => 2))).value).toEqual({ held: false });
  }
});

describe('a lock with a lockDelay', () => {
  it.each<[Phase, number]>([
    ['from', 28_000],
    ['to', 28_000],
    ['to', 600_000],
  ])('lasts in %s, with a delay of %d ms and a presence of 30 s', async (phase, lockDelay) => {
    const { process, settled } = world();
    const { locks } = process(phase);
    const lease = (await settled(locks.acquire('job', { lockDelay }))).value!;
    for (let minute = 0; minute < 10; minute += 1) {
      await settled(Promise.resolve(), 60_000);
      expect(lease.held).toBe(true);
      expect(lease.remaining).toBeGreaterThan(10_000);
    }
    expect((await settled(lease.release())).value).toBe(true);
  });

  it('goes along from both to an end', async () => {
    const { process, settled, from, to } = world();
    const one = process('both');
    const lease = (await settled(one.locks.acquire('job', { lockDelay: 28_000 }))).value!;
    one.phase = 'to';
    for (let minute = 0; minute < 10; minute += 1) {
      await settled(Promise.resolve(), 60_000);
      expect(lease.held).toBe(true);
    }
    const held = async (store: MemoryStore) => (await createMemoryProvider({ store }).inspect('job')).holders.length;
    expect([await held(from), await held(to)]).toEqual([0, 1]);
  });

  it('closes its key after an unclean end, also under an end', async () => {
    const { process, settled, runtime } = world();
    const [one, two] = [process('to'), process('to')];
    await settled(one.locks.acquire('job', { lockDelay: 28_000 }));
    const start = runtime.time;
    void one.locks.close();
    const next = watch(two.locks.acquire('job', { wait: 120_000 }), runtime);
    await runtime.advance(120_000);
    expect(next.state).toBe('fulfilled');
    expect(next.at! - start).toBeGreaterThanOrEqual(28_000);
  });
});

/** The methods of `store`, for a provider with some of its own. */
function bound(store: LockProvider): LockProvider {
  return {
    name: store.name,
    traits: store.traits,
    tryAcquire: (claim, wake) => store.tryAcquire(claim, wake),
    renew: (claim, token) => store.renew(claim, token),
    release: (claim) => store.release(claim),
    inspect: (key) => store.inspect(key),
    register: (name, change) => store.register!(name, change),
    close: () => store.close(),
  };
}
