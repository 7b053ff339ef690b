import { expect, onTestFinished, test, vi } from 'vitest';
import {
  LockError,
  createLocks,
  createMemoryProvider,
  createMemoryStore,
  openLocks,
  subscribe,
} from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { LockProvider, Locks, MemoryStore, MigrationMessage } from '../../../core/src/index.ts';
import type { End, MigrateOptions, Phase } from '../../src/index.ts';
import { breakable } from '../../../core/test/support/breakable.ts';
import type { Breakable } from '../../../core/test/support/breakable.ts';

interface Process extends Readonly<Record<End, Breakable>> {
  readonly locks: Locks;
  /** How many stores it takes a lock in. */
  stores(): Promise<number>;
}

function fleet() {
  const stores = { from: createMemoryStore(), to: createMemoryStore() };
  const heard: MigrationMessage[] = [];
  const subscription = subscribe('locks:migration', (message) => void heard.push(message));
  onTestFinished(() => subscription());
  const plain = (end: End): Locks => {
    const locks = createLocks(createMemoryProvider({ store: stores[end] }), { closeProvider: true, label: 'plain' });
    onTestFinished(() => locks.close());
    return locks;
  };
  const process = (phase: Phase | (() => Phase), more: Partial<MigrateOptions> = {}): Process => {
    const [from, to] = (['from', 'to'] as const).map((end) =>
      breakable(createMemoryProvider({ store: stores[end] })),
    ) as [Breakable, Breakable];
    const options = { name: 'm', from, to, phase, presenceTtl: 1_000, memberTimeout: 100, timeout: 400, ...more };
    const locks = createLocks(migrate(options), { closeProvider: true, ttl: 600, closeTimeout: 300 });
    onTestFinished(() => locks.close());
    const count = async (): Promise<number> => {
      const lease = await locks.acquire('seen', { wait: 5_000 });
      const see = async (store: MemoryStore): Promise<number> =>
        (await createMemoryProvider({ store }).inspect('seen')).holders.length;
      const holders = await Promise.all([stores.from, stores.to].map(see));
      await lease.release();
      return holders.reduce((sum, each) => sum + each, 0);
    };
    return { from, to, locks, stores: count };
  };
  const refusals = (): readonly string[] =>
    heard.filter(({ event }) => event === 'refused').map(({ error }) => (error as Error | undefined)?.message ?? '');
  return { stores, heard, plain, process, refusals };
}

const acts = async (process: Process, stores: number): Promise<void> =>
  await vi.waitFor(async () => expect(await process.stores()).toBe(stores), 10_000);

test('one that was cut off in from stays in both when it is back and the others are plain in to', async () => {
  const { process, plain, refusals } = fleet();
  const asleep = process('from');
  await acts(asleep, 1);
  asleep.from.down = true;
  asleep.to.down = true;
  let phase: Phase = 'both';
  const other = process(() => phase);
  await acts(other, 2);
  phase = 'to';
  await acts(other, 1);
  await other.locks.close();
  const locks = plain('to');
  asleep.from.down = false;
  asleep.to.down = false;
  const until = performance.now() + 1_500;
  while (performance.now() < until) {
    const lease = await locks.acquire('job', { ttl: 60_000 });
    expect(await asleep.locks.tryAcquire('job').catch(() => null)).toBeNull();
    await lease.release();
  }
  expect(await asleep.stores()).toBe(2);
  expect(refusals().at(-1)).toMatch(
    /phase "from" is refused: processes went on to store "to".*"both" in all processes/,
  );
});

test.each<[Phase, End, End]>([
  ['to', 'from', 'to'],
  ['from', 'to', 'from'],
])('a process that comes late with an old phase stays in both, after %s', async (before, late, other) => {
  const { process, refusals, stores } = fleet();
  const first = process(before);
  await acts(first, 1);
  await first.locks.close();
  const old = process(late);
  await vi.waitFor(() => expect(refusals().at(-1)).toMatch(`phase "${late}" is refused`), 5_000);
  await acts(old, 2);
  // The way back.
  const back = process('both');
  await acts(old, 1);
  await back.locks.close();
  expect([...stores[other].keys('')]).toEqual([]);
});

test('the way back is open in the process that was in both, and closed in one that was not', async () => {
  const { process, refusals } = fleet();
  let phase: Phase = 'to';
  const one = process(() => phase);
  await acts(one, 1);
  phase = 'from';
  await vi.waitFor(() => expect(refusals().at(-1)).toMatch(/phase "from" is refused/), 5_000);
  await acts(one, 2);
  phase = 'both';
  await acts(one, 2);
  phase = 'from';
  await acts(one, 1);
  expect((await one.from.inspect('migration/m/from')).holders).toHaveLength(1);
});

test('an end is refused by name while processes without migrate hold locks in the other store', async () => {
  const { process, plain, refusals, heard } = fleet();
  const lease = await plain('from').acquire('job', { ttl: 60_000 });
  const early = process('to');
  await vi.waitFor(
    () => expect(refusals().at(-1)).toMatch(/plain\/\S+ holds "job" in store "from", without migrate/),
    5_000,
  );
  expect(heard.findLast(({ event }) => event === 'refused')).toMatchObject({ by: ['plain'], effective: 'both' });
  expect(await early.locks.tryAcquire('job')).toBeNull();
  await lease.release();
  await acts(early, 1);
});

test('"without" is not believed while that store answers and shows others', async () => {
  const { process, heard } = fleet();
  const first = process('from');
  await acts(first, 1);
  const second = process('to', { without: 'from', label: 'second' });
  await vi.waitFor(
    () => expect(heard).toContainEqual(expect.objectContaining({ event: 'refused', without: 'from' })),
    5_000,
  );
  await acts(second, 2);
  for (const each of [first, second]) each.from.down = true;
  await acts(second, 1);
});

test('a mark does not keep a process from the store that is left, where the other one is gone', async () => {
  const { process } = fleet();
  const first = process('from');
  await acts(first, 1);
  await first.locks.close();
  const second = process('to', { without: 'from' });
  second.from.down = true;
  await acts(second, 1);
});

test('openLocks opens without a store that is gone for good, though its error is no outage', async () => {
  const reason = new LockError('LOCK_MISCONFIGURED', 'NOAUTH');
  const gone = {
    provider: {
      fromConfig: (): LockProvider => {
        throw reason;
      },
    },
  };
  const options = {
    name: 'm',
    from: gone,
    to: 'memory:',
    phase: 'to',
    without: 'from',
    presenceTtl: '1s',
    memberTimeout: 100,
  };
  const locks = await openLocks({ provider: 'migrate', options });
  onTestFinished(() => locks.close());
  await locks.withLock('job', ({ held }) => expect(held).toBe(true));
  const { without: _without, ...others } = options;
  await expect(openLocks({ provider: 'migrate', options: others })).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
  });
});
