import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider } from '../../src/index.ts';
import type { LockProvider, Locks } from '../../src/index.ts';
import { expectNothingLeft, watch } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

const notingProcesses = () => twoProcesses({ findDeadlocks: true });
const deadlock = { code: 'LOCK_DEADLOCK', key: 'seat' };

/** Calls inside of others that no event but their own end could let in. */
const nested: Readonly<Record<string, (locks: Locks) => Promise<unknown>>> = {
  'a mutex inside of itself': (locks) => {
    const mutex = locks.mutex('seat');
    return mutex.withLock(() => mutex.withLock(() => 1));
  },
  'acquire inside of withLock': (locks) => locks.withLock('seat', () => locks.acquire('seat')),
  'tryWithLock without a limit inside of withLock': (locks) =>
    locks.withLock('seat', () => locks.tryWithLock('seat', { wait: Infinity }, () => 1)),
  'a call that is reentrant inside of one that is not': (locks) =>
    locks.withLock('seat', () => locks.withLock('seat', { reentrant: true }, () => 1)),
  'the write side inside of the read side': (locks) => {
    const { read, write } = locks.readWriteLock('seat');
    return read.withLock(() => write.withLock(() => 1));
  },
  'the read side inside of the write side': (locks) => {
    const { read, write } = locks.readWriteLock('seat');
    return write.withLock(() => read.withLock(() => 1));
  },
  'a permit when all permits are held': (locks) => {
    const permit = locks.semaphore('seat', 2);
    return permit.withLock(() => permit.withLock(() => permit.withLock(() => 1)));
  },
  'keys that overlap': (locks) =>
    locks.multiLock(['a', 'seat']).withLock(() => locks.multiLock(['seat', 'z']).withLock(() => 1)),
  'acquire of several keys, one of them held': (locks) =>
    locks.mutex('seat').withLock(() => locks.multiLock(['seat', 'z']).acquire()),
  'a mutex with others in between': (locks) =>
    locks.withLock('seat', async () => {
      await Promise.resolve();
      return await locks.withLock('other', () => locks.withLock('seat', () => 1));
    }),
};

describe('a call that would wait for what its own context holds', () => {
  it.each(Object.entries(nested))('is refused at once, with the key: %s', async (_, call) => {
    const { runtime, one, two } = notingProcesses();
    const outcome = watch(call(one), runtime);
    const { time } = runtime;
    await runtime.advance(0);
    expect(outcome.error).toMatchObject(deadlock);
    expect(outcome.at).toBe(time);
    // Nothing of it stays in the queue.
    await runtime.advance(10);
    expect(await two.inspect('seat')).toMatchObject({ holders: [], waiters: 0 });
    await expectNothingLeft({ runtime, locks: one });
  });

  it('is a reader inside of a reader, behind a writer that waits for the outer one', async () => {
    const { runtime, one, two } = notingProcesses();
    const { read } = one.readWriteLock('seat');
    const writer = await read.withLock(async () => {
      await read.withLock(() => 'together');
      const waiting = watch(two.readWriteLock('seat').write.acquire());
      await runtime.advance(10);
      await expect(read.withLock(() => 1)).rejects.toMatchObject(deadlock);
      expect(waiting.state).toBe('open');
      return waiting;
    });
    await runtime.advance(20);
    expect(writer.state).toBe('fulfilled');
  });

  it('says which way out there is', async () => {
    const { one } = notingProcesses();
    const { read, write } = one.readWriteLock('seat');
    await expect(one.withLock('seat', () => one.acquire('seat'))).rejects.toThrow(/"reentrant" in both calls/);
    await expect(read.withLock(() => write.acquire())).rejects.toThrow(/Release the shared lease first/);
    const permit = one.semaphore('seat', 1);
    await expect(permit.withLock(() => permit.acquire())).rejects.toThrow(/all permits in one call/);
  });

  it('with a limit times out as any other, and the message says why', async () => {
    const { runtime, one } = notingProcesses();
    const outer = watch(one.withLock('seat', () => one.acquire('seat', { wait: 50 })));
    await runtime.advance(40);
    expect(outer.state).toBe('open');
    await runtime.advance(20);
    expect(outer.error).toMatchObject({
      code: 'LOCK_TIMEOUT',
      wait: 50,
      message: expect.stringContaining('was not free: it is held by the asynchronous context') as unknown,
    });
  });
});

describe('a call that waits for others', () => {
  it('waits for a permit while others hold some', async () => {
    const { runtime, one, two } = notingProcesses();
    const permit = one.semaphore('seat', 2);
    const other = await two.semaphore('seat', 2).acquire();
    const outer = watch(permit.withLock(() => permit.withLock(() => 'both')));
    await runtime.advance(100);
    expect(outer.state).toBe('open');
    await other.release();
    await runtime.advance(10);
    expect(outer.value).toBe('both');
  });

  it('waits when the outer lease is released, or its work has ended', async () => {
    const { runtime, one, two } = notingProcesses();
    let late: Promise<unknown> = Promise.resolve();
    await one.withLock('seat', async (lease) => {
      await lease.release();
      await two.acquire('seat', { renew: false, ttl: 100 });
      late = one.withLock('seat', () => one.tryAcquire('seat'));
    });
    const outcome = watch(late);
    await runtime.advance(50);
    expect(outcome.state).toBe('open');
    await runtime.advance(100);
    expect(outcome.value).toBeNull();
  });

  it.each(['the outer', 'the inner', 'no'])('waits for itself where %s call is meant to', async (which) => {
    const { runtime, one } = notingProcesses();
    const outerOptions = { waitForSelf: which === 'the outer' };
    const innerOptions = { waitForSelf: which === 'the inner' };
    let later: Promise<unknown> = Promise.resolve();
    await one.withLock('seat', outerOptions, async () => {
      later = one.withLock('seat', innerOptions, () => 'later');
      later.catch(() => {});
      await Promise.resolve();
    });
    const outcome = watch(later);
    await runtime.advance(10);
    if (which === 'no') expect(outcome.error).toMatchObject(deadlock);
    else expect(outcome.value).toBe('later');
  });

  it('is another context, though the key is held by the same Locks', async () => {
    const { runtime, one } = notingProcesses();
    const all = [1, 2, 3].map((each) => one.withLock('seat', async () => await Promise.resolve(each)));
    await runtime.advance(10);
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
  });
});

it('a job that starts itself again inside of its lock keeps nothing of the rounds before', async () => {
  const { runtime, one } = notingProcesses();
  const leases: WeakRef<object>[] = [];
  let next: (() => Promise<void>) | undefined;
  const round = (): Promise<void> =>
    one.withLock('seat', (lease) => {
      leases.push(new WeakRef(lease));
      // Work that is bound here runs in the context of this round.
      const { AsyncResource } = process.getBuiltinModule('node:async_hooks');
      next = AsyncResource.bind(round);
    });
  await round();
  for (let index = 0; index < 50; index += 1) await next?.();
  await runtime.advance(0);
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  const gc = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  expect(leases.filter((each) => each.deref() !== undefined).length).toBeLessThan(5);
});

describe('option findDeadlocks', () => {
  const attempt = async (findDeadlocks: boolean | undefined): Promise<unknown> => {
    const { runtime, one } = twoProcesses({ findDeadlocks });
    const outer = watch(one.withLock('seat', () => one.acquire('seat')));
    await runtime.advance(10);
    const { error } = outer;
    void one.close();
    return error;
  };

  it('false lets a call wait for itself', async () => {
    expect(await attempt(false)).toBeUndefined();
  });

  it('is on by default in a process that uses AsyncLocalStorage', async () => {
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
    const error = await new AsyncLocalStorage().run(1, async () => {
      await Promise.resolve();
      return await attempt(undefined);
    });
    expect(error).toMatchObject(deadlock);
  });
});

it('several Locks of one provider wait for each other', async () => {
  const runtime = new VirtualRuntime();
  const provider = createMemoryProvider({ runtime });
  const make = (over: LockProvider = provider): Locks => createLocks(over, { runtime, findDeadlocks: true });
  const [one, two] = [make(), make()];
  await expect(one.withLock('seat', () => two.acquire('seat'))).rejects.toMatchObject(deadlock);
  const between = one.withLock('seat', () => two.withLock('other', () => one.acquire('seat')));
  await expect(between).rejects.toMatchObject(deadlock);
  const three = make(createMemoryProvider({ runtime }));
  expect(await one.withLock('seat', () => three.withLock('seat', () => 1))).toBe(1);
  expect(await one.withLock('seat', { reentrant: true }, () => two.tryAcquire('seat', { reentrant: true }))).toBeNull();
});
