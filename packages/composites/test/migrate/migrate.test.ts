import { getEventListeners } from 'node:events';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore, subscribe } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { Claim, Grant, LockProvider, Locks, MemoryStore, MigrationMessage } from '../../../core/src/index.ts';
import type { MigrateOptions, Phase } from '../../src/index.ts';
import { markRegister } from '../../src/migrate/keys.ts';
import { withSession } from '../../../core/test/support/with-session.ts';

function claimOf(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'job', owner, ttl: 10_000, mode: 'exclusive', ...more };
}

interface Fleet {
  readonly from: MemoryStore;
  readonly to: MemoryStore;
  /** Another process. */
  process(phase: MigrateOptions['phase'], more?: Partial<MigrateOptions>): LockProvider;
  /** Who holds the key in each store. */
  holders(key?: string): Promise<Readonly<Record<'from' | 'to', number>>>;
  /** Resolves when a process that is to be in `both` may go on to any end. */
  mayGoOn(): Promise<void>;
}

function fleet(): Fleet {
  const [from, to] = [createMemoryStore(), createMemoryStore()];
  const [seeFrom, seeTo] = [createMemoryProvider({ store: from }), createMemoryProvider({ store: to })];
  let count = 0;
  return {
    from,
    to,
    process(phase, more = {}) {
      count += 1;
      const provider = migrate({
        name: 'm',
        from: createMemoryProvider({ store: from }),
        to: createMemoryProvider({ store: to }),
        phase,
        presenceTtl: 1_000,
        label: `p${count}`,
        ...more,
      });
      onTestFinished(() => provider.close());
      return provider;
    },
    async holders(key = 'job') {
      const [inFrom, inTo] = await Promise.all([seeFrom.inspect(key), seeTo.inspect(key)]);
      return { from: inFrom.holders.length, to: inTo.holders.length };
    },
    async mayGoOn() {
      await vi.waitFor(async () => {
        expect(await seeFrom.register?.(markRegister('m', 'from'))).toBeUndefined();
        expect(await seeTo.register?.(markRegister('m', 'to'))).toBeUndefined();
      }, 5_000);
    },
  };
}

/** `inner`, whose holds last for `validity` ms. */
function withValidity(inner: LockProvider, validity: number): LockProvider {
  return {
    name: inner.name,
    traits: inner.traits,
    async tryAcquire(claim, wake) {
      const answer = await inner.tryAcquire({ ...claim, ttl: validity }, wake);
      return answer.granted ? { ...answer, validity } : answer;
    },
    renew: async (claim, token) => (await inner.renew({ ...claim, ttl: validity }, token)) && { validity },
    release: (claim) => inner.release(claim),
    inspect: (key) => inner.inspect(key),
    register: async (name, change) => await inner.register?.(name, change),
    close: () => inner.close(),
  };
}

function listen(): MigrationMessage[] {
  const heard: MigrationMessage[] = [];
  const subscription = subscribe('locks:migration', (message) => void heard.push(message));
  onTestFinished(() => subscription());
  return heard;
}

const presence = (end: 'from' | 'to') => `migration/m/${end}`;

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

test('a lease that is held goes along: it is carried, then shed', async () => {
  let phase: Phase = 'from';
  const { process, holders, mayGoOn } = fleet();
  const heard = listen();
  const provider = process(() => phase);
  const locks = createLocks(provider, { ttl: 1_500 });
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  expect(await holders()).toEqual({ from: 1, to: 0 });
  const renewedUntil = async (expected: Readonly<Record<'from' | 'to', number>>): Promise<void> =>
    await vi.waitFor(async () => {
      await lease.renew();
      expect(await holders()).toEqual(expected);
    }, 5_000);
  phase = 'both';
  await renewedUntil({ from: 1, to: 1 });
  expect(heard).toContainEqual(expect.objectContaining({ event: 'carried', key: 'job' }));
  await mayGoOn();
  phase = 'to';
  await renewedUntil({ from: 0, to: 1 });
  phase = 'both';
  await renewedUntil({ from: 1, to: 1 });
  await mayGoOn();
  phase = 'from';
  await renewedUntil({ from: 1, to: 0 });
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test('a lease that is carried there and back is renewed, though stores gave it other tokens', async () => {
  let phase: Phase = 'from';
  const { process, holders, mayGoOn } = fleet();
  const heard = listen();
  const locks = createLocks(
    process(() => phase),
    { ttl: 1_500 },
  );
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  const { token } = lease;
  for (const next of ['both', 'to', 'both', 'from', 'both', 'to'] as const) {
    phase = next;
    const expected = { from: next === 'to' ? 0 : 1, to: next === 'from' ? 0 : 1 };
    await vi.waitFor(async () => {
      await lease.renew();
      expect(await holders()).toEqual(expected);
    }, 5_000);
    if (next === 'both') await vi.waitFor(() => expect(heard.at(-1)?.event).toBe('carried'));
    await lease.renew();
    await lease.renew();
    if (next === 'both') await mayGoOn();
  }
  expect(lease.held).toBe(true);
  expect(lease.token).toBe(token);
  expect(await lease.release()).toBe(true);
});

test('a lease that was carried is handed over, though the store gave it a higher token', async () => {
  let phase: Phase = 'from';
  const { process, to, holders } = fleet();
  const open = (): Locks => {
    const locks = createLocks(
      process(() => phase),
      { ttl: 1_500 },
    );
    onTestFinished(() => locks.close());
    return locks;
  };
  const heard = listen();
  const [giver, resumer] = [open(), open()];
  const given = await giver.acquire('job');
  const changes = (next: Phase) => heard.filter(({ event, effective }) => event === 'changed' && effective === next);
  await vi.waitFor(() => expect(changes('from')).toHaveLength(2), 5_000);
  for (const next of ['both', 'to'] as const) {
    phase = next;
    await vi.waitFor(() => expect(changes(next)).toHaveLength(2), 5_000);
    await vi.waitFor(async () => {
      await given.renew();
      expect(await holders()).toEqual({ from: next === 'to' ? 0 : 1, to: 1 });
    }, 5_000);
  }
  const [holder] = (await createMemoryProvider({ store: to }).inspect('job')).holders;
  expect(holder?.token).toBeGreaterThan(given.token);
  const lease = await resumer.resume(await given.handOver());
  expect([lease.owner, lease.token]).toEqual([given.owner, given.token]);
  await lease.renew();
  expect(await lease.release()).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test('a lease that goes on under an end lasts for as long as was told before', async () => {
  let phase: Phase = 'both';
  const { process, holders } = fleet();
  const heard = listen();
  const provider = process(() => phase);
  const claim = claimOf('p/1', { ttl: 2_500 });
  const told = performance.now() + 2_450;
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  let earliest = Infinity;
  const renew = async (): Promise<void> => {
    const renewed = await provider.renew(claim);
    earliest = Math.min(earliest, performance.now() + (renewed ? (renewed.validity ?? 0) : 0));
  };
  phase = 'to';
  await vi.waitFor(async () => {
    await renew();
    expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: 'to' });
  });
  await renew();
  expect(await holders()).toEqual({ from: 1, to: 1 });
  await vi.waitFor(async () => {
    await renew();
    expect(await holders()).toEqual({ from: 0, to: 1 });
  }, 5_000);
  expect(earliest).toBeGreaterThan(told);
});

test('a lease that is carried keeps the presence for as long as was told under the end', async () => {
  let phase: Phase = 'from';
  const { process, from, holders } = fleet();
  // As a session: its holds outlast the ttl.
  const session = withValidity(createMemoryProvider({ store: from }), 800);
  const provider = process(() => phase, { from: session });
  const observer = createMemoryProvider({ store: from });
  const present = async (): Promise<number> => (await observer.inspect(presence('from'))).holders.length;
  const claim = claimOf('p/1', { ttl: 300 });
  await vi.waitFor(async () => expect(await present()).toBe(1));
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  phase = 'both';
  const renewed = await provider.renew(claim);
  expect(renewed && renewed.validity).toBeGreaterThan(500);
  await vi.waitFor(async () => expect(await holders()).toEqual({ from: 1, to: 1 }));
  await sleep(100);
  expect(await present()).toBe(1);
  // Both stores would end the lease earlier.
  const again = await provider.renew(claim);
  expect(again && again.validity).toBeGreaterThan(400);
  expect(again && again.validity).toBeLessThan(701);
  await sleep(100);
  expect(await present()).toBe(1);
  await vi.waitFor(async () => {
    expect(await provider.renew(claim)).not.toBe(false);
    expect(await present()).toBe(0);
  });
  const begun = performance.now();
  const last = await provider.renew(claim);
  // Of its own ttl. It counts from the send to each store, which is later.
  expect(last && last.validity).toBeLessThan(301 + performance.now() - begun);
});

interface Carried {
  readonly provider: LockProvider;
  readonly claim: Claim;
  readonly lost: AbortSignal | undefined;
  /** The store that it was carried to. */
  readonly inner: LockProvider;
  /** The store that it was taken in. */
  readonly own: LockProvider;
  readonly holders: Fleet['holders'];
}

/** A lease that was taken under `first`, and carried. `wrap`: what its process has as the other. */
async function carriedLease(
  wrap: (inner: LockProvider) => LockProvider,
  first: 'from' | 'to' = 'from',
): Promise<Carried> {
  let phase: Phase = first;
  const { process, from, to, holders } = fleet();
  const heard = listen();
  const [own, inner] = (first === 'from' ? [from, to] : [to, from]).map((store) => createMemoryProvider({ store })) as [
    LockProvider,
    LockProvider,
  ];
  const provider = process(() => phase, { [first === 'from' ? 'to' : 'from']: wrap(inner) });
  const claim = claimOf('p/1', { ttl: 800 });
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: first }));
  const { lost } = (await provider.tryAcquire(claim)) as Grant;
  phase = 'both';
  await provider.renew(claim);
  await vi.waitFor(() => expect(heard.at(-1)?.event).toBe('carried'));
  return { provider, claim, lost, inner, own, holders };
}

test('a lease that is carried counts on its first store alone for as long as was told before', async () => {
  let session = new AbortController();
  const { provider, claim, lost, inner, holders } = await carriedLease((store) =>
    withSession(store, 'job', () => session.signal),
  );
  const before = session;
  session = new AbortController();
  const [ended] = (await inner.inspect('job')).holders;
  await inner.release(claimOf(ended?.owner ?? ''));
  before.abort(new Error('the session has ended'));
  expect(lost?.aborted).toBe(false);
  expect(await holders()).toEqual({ from: 1, to: 0 });
  // It is carried again.
  expect(await provider.renew(claim)).not.toBe(false);
  await vi.waitFor(async () => expect(await holders()).toEqual({ from: 1, to: 1 }));
  await provider.renew(claim);
  session.abort(new Error('the session has ended'));
  expect(lost?.aborted).toBe(true);
});

test.for([
  ['at its first renewal there', 800],
  ['when what both stores promised is over', 60],
] as const)('so it does where a renewal hears that the other store let go of it, %s', async ([, validity]) => {
  const { provider, claim, lost, inner, holders } = await carriedLease((store) => withValidity(store, validity));
  if (validity < claim.ttl) {
    const renewed = await provider.renew(claim);
    // That of before goes on.
    expect(renewed && renewed.validity).toBeGreaterThan(claim.ttl / 2);
    await sleep(2 * validity);
  }
  const [ended] = (await inner.inspect('job')).holders;
  if (ended !== undefined) await inner.release(claimOf(ended.owner));
  expect(await provider.renew(claim)).not.toBe(false);
  expect(lost?.aborted).toBe(false);
  expect((await holders()).from).toBe(1);
});

test.each(['from', 'to'] as const)('its release tells what its first store, "%s", told', async (first) => {
  const { provider, claim, inner, holders } = await carriedLease((store) => store, first);
  const [ended] = (await inner.inspect('job')).holders;
  await inner.release(claimOf(ended?.owner ?? ''));
  expect(await provider.release(claim)).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test.each(['from', 'to'] as const)('its release is false once its first store, "%s", let go', async (first) => {
  const { provider, claim, holders, own } = await carriedLease((store) => store, first);
  const [ended] = (await own.inspect('job')).holders;
  await own.release(claimOf(ended?.owner ?? ''));
  expect(await provider.release(claim)).toBe(false);
  expect(await holders()).toEqual({ from: 0, to: 0 });
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

test.each<[string, readonly Phase[], 'from' | 'to', boolean]>([
  ['was taken there', ['from'], 'from', true],
  ['was carried there', ['from', 'both'], 'to', true],
  ['was taken there, and carried on', ['from', 'both'], 'from', true],
  ['was carried there, and gave the first one up', ['from', 'both', 'to'], 'to', true],
  ['was taken there, and gave it up', ['from', 'both', 'to'], 'from', false],
  ['was taken in both, and gave the other one up', ['both', 'to'], 'to', true],
  ['was taken in both, and gave it up', ['both', 'to'], 'from', false],
  ['gave it up, and was carried there again', ['both', 'to', 'both'], 'from', true],
  ['gave it up twice', ['from', 'both', 'to', 'both', 'to'], 'from', false],
])('a lease ends with the session of a store only while it counts on that store: it %s', async (...given) => {
  const [, [first, ...changes], end, ends] = given;
  let phase = first as Phase;
  const { process, holders, mayGoOn, from, to } = fleet();
  const stores = { from, to };
  const session = new AbortController();
  const inner = createMemoryProvider({ store: stores[end] });
  const locks = createLocks(
    process(() => phase, { [end]: withSession(inner, 'job', () => session.signal) }),
    { ttl: 600 },
  );
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  for (const next of changes) {
    phase = next;
    const expected = { from: next === 'to' ? 0 : 1, to: next === 'from' ? 0 : 1 };
    await vi.waitFor(async () => expect(await holders()).toEqual(expected), 5_000);
    await lease.renew();
    if (next === 'both') await mayGoOn();
  }
  session.abort(new Error('the session has ended'));
  expect(lease.held).toBe(!ends);
  await lease.release();
  expect(getEventListeners(session.signal, 'abort')).toEqual([]);
});

test('a lease ends with the presence, and tells why', async () => {
  const { process, from } = fleet();
  const provider = process('from');
  const locks = createLocks(provider);
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job', { ttl: 60_000 });
  expect(lease.remaining).toBeLessThan(1_000);
  const operator = createMemoryProvider({ store: from });
  const [holder] = (await operator.inspect(presence('from'))).holders;
  await operator.release({ key: presence('from'), owner: holder?.owner ?? '', ttl: 1_000, mode: 'shared' });
  await vi.waitFor(() => expect(lease.held).toBe(false), 2_000);
  expect(String(lease.signal.reason)).toMatch(/the presence of this process in "from" has ended/);
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
    name: provider.name,
    traits: provider.traits,
    tryAcquire: (claim, wake) => travel(() => provider.tryAcquire(claim, wake)),
    renew: (claim, token) => travel(() => provider.renew(claim, token)),
    release: (claim) => travel(() => provider.release(claim)),
    inspect: (key) => travel(() => provider.inspect(key)),
    register: (name, change) => travel(async () => await provider.register?.(name, change)),
    close: () => provider.close(),
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
