import { expect, onTestFinished, test, vi } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import { migrationStatus, waitForPhase } from '../../src/index.ts';
import { findHolders } from '../../src/migrate/holders.ts';
import type { Lease, LocksConfig, Locks } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import { breakable } from '../../../core/test/support/breakable.ts';

/** Configurations of processes that meet in two memory stores. */
function fleet() {
  const stores = { from: createMemoryStore(), to: createMemoryStore() };
  const adapter = (end: 'from' | 'to') => ({
    provider: { fromConfig: () => createMemoryProvider({ store: stores[end] }) },
  });
  const config = (phase: Phase | (() => Phase), more: object = {}): LocksConfig => ({
    provider: 'migrate',
    options: { name: 'm', from: adapter('from'), to: adapter('to'), phase, presenceTtl: '2s', settle: 0, ...more },
  });
  const open = async (label: string, phase: Phase | (() => Phase), more: object = {}): Promise<Locks> => {
    const locks = await openLocks(config(phase, { label, ...more }));
    onTestFinished(() => locks.close());
    // The first attempt waits until the process knows its phase.
    await locks.withLock(label, () => {});
    return locks;
  };
  return { stores, config, open };
}

test('it tells which processes act, and which wait, also those with one label', async () => {
  const { config, open } = fleet();
  await open('same', 'from');
  await open('same', 'both');
  await vi.waitFor(async () => expect((await migrationStatus(config('both'))).processes).toHaveLength(2), 5_000);
  await open('third', 'to');
  const { name, processes, from, to, obstacles } = await migrationStatus(config('both'));
  expect(name).toBe('m');
  expect(processes.map(({ desired, effective }) => `${desired}>${effective}`).toSorted()).toEqual([
    'both>both',
    'from>from',
    'to>both',
  ]);
  expect(new Set(processes.map(({ process }) => process)).size).toBe(3);
  for (const { process } of processes) expect(process).toMatch(/^(same|third)~\w{8}$/);
  expect([from, to]).toMatchObject([
    { store: 'memory', alone: [], safeIn: 0 },
    { store: 'memory', alone: [], safeIn: 0 },
  ]);
  expect(obstacles.from).toMatchObject([{ kind: 'process' }, { kind: 'process' }]);
});

test('it names locks of processes that do not take part, and leases of both', async () => {
  const { stores, config, open } = fleet();
  const locks = await open('first', 'both');
  await locks.acquire('through');
  const plain = createMemoryProvider({ store: stores.from });
  await plain.tryAcquire({ key: 'direct', owner: 'old/1', ttl: 5_000, mode: 'exclusive' });
  const { from, to, inBoth, obstacles } = await migrationStatus(config('both'));
  expect(from.alone).toMatchObject([{ key: 'direct', owner: 'old/1', plain: true }]);
  expect(to.alone).toEqual([]);
  expect(inBoth).toMatchObject([{ key: 'through', plain: false }]);
  expect(obstacles.both).toMatchObject([{ kind: 'lock' }]);
  expect(obstacles.from.map(({ kind }) => kind)).toEqual(['process', 'lease']);
  expect(obstacles.to.map(({ kind }) => kind)).toEqual(['process', 'lock', 'lease']);
});

test('a wrong name finds no process, and tells the right one', async () => {
  const { config, open } = fleet();
  await open('first', 'both');
  const { obstacles } = await migrationStatus(config('both', { name: 'n' }));
  expect(obstacles.both.map(({ what }) => what)).toEqual([
    'no process takes part under the name "n"',
    'processes take part under the name "m"',
  ]);
});

test('a process that is missing is an obstacle, where their number is known', async () => {
  const { config, open } = fleet();
  await open('first', 'both');
  const { obstacles } = await migrationStatus(config('both'), { processes: 2 });
  expect(obstacles.both).toMatchObject([{ kind: 'processes', what: '1 process takes part, not 2' }]);
});

test('a store that does not answer is told, and hides no other', async () => {
  const { config, open } = fleet();
  await open('first', 'from');
  const dead = {
    fromConfig(): never {
      throw new LockError('LOCK_UNAVAILABLE', 'connection refused');
    },
  };
  const target = config('both', { to: { provider: dead } });
  await vi.waitFor(async () => expect((await migrationStatus(target)).processes).toHaveLength(1), 5_000);
  const { from, to } = await migrationStatus(target);
  expect(from.error).toBeUndefined();
  expect(to).toMatchObject({ safeIn: undefined, alone: undefined, error: { code: 'LOCK_UNAVAILABLE' } });
  await expect(waitForPhase(target, 'from', 0)).rejects.toThrow(/the store "to" \(adapter\) does not answer/);
  await waitForPhase(target, 'from!', '5s');
});

test('waitForPhase waits for the last process, and names it', async () => {
  const { config, open } = fleet();
  let phase: Phase = 'from';
  await open('first', () => phase);
  await open('second', 'to');
  await vi.waitFor(async () => expect((await migrationStatus(config('both'))).processes).toHaveLength(2), 5_000);
  const late = waitForPhase(config('both'), 'to', 200);
  await expect(late).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    message: expect.stringMatching(
      /first~\w+ takes locks in "from"; second~\w+ takes locks in "both", is to be in "to"/,
    ) as unknown,
    result: { name: 'm', obstacles: { to: [{ kind: 'process' }, { kind: 'process' }] } },
  });
  phase = 'both';
  await vi.waitFor(async () => {
    const { processes } = await migrationStatus(config('both'));
    expect(processes.map(({ effective }) => effective)).not.toContain('from');
  }, 8_000);
  phase = 'to';
  const status = await waitForPhase(config('both'), 'to', '20s');
  expect(status.processes.map(({ effective }) => effective)).toEqual(['to', 'to']);
  expect(status.obstacles.to).toEqual([]);
});

test('a process that has only announced itself acts in both', async () => {
  const { stores, config } = fleet();
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const from = createMemoryProvider({ store: stores.from });
  const silent = {
    fromConfig: () => ({
      ...breakable(from),
      inspect: async (key: string) => {
        await answered;
        return await from.inspect(key);
      },
    }),
  };
  const locks = await openLocks(config('to', { label: 'only', from: { provider: silent } }));
  onTestFinished(() => locks.close());
  const granted = locks.acquire('key').catch((error: unknown) => error);
  const presences = async () => (await createMemoryProvider({ store: stores.to }).inspect('migration/alone')).holders;
  await vi.waitFor(async () => expect(await presences()).toHaveLength(1), 5_000);
  const waiting = { desired: 'to', effective: 'both', presence: 'to' };
  expect((await migrationStatus(config('both'))).processes).toMatchObject([waiting]);
  for (const phase of ['both', 'to'] as const) {
    await expect(waitForPhase(config('both'), phase, 50)).rejects.toMatchObject({
      message: expect.stringMatching(
        /only~\w+ takes locks in "both", is to be in "to", enters or leaves "to"/,
      ) as unknown,
    });
  }
  answer();
  const lease = await granted;
  expect(lease).not.toBeInstanceOf(Error);
  // It was taken in both stores.
  await (lease as Lease).release();
  const { processes } = await waitForPhase(config('both'), 'to', '5s');
  expect(processes).toMatchObject([{ desired: 'to', effective: 'to' }]);
});

test('a process that leaves an end acts under it until its last lease there is over', async () => {
  const { config, open } = fleet();
  let phase: Phase = 'to';
  const locks = await open('only', () => phase, { presenceTtl: '10s' });
  const lease = await locks.acquire('key', { ttl: 20_000, renew: false });
  phase = 'both';
  await vi.waitFor(async () => {
    expect((await migrationStatus(config('both'))).processes).toMatchObject([{ desired: 'both', effective: 'to' }]);
  }, 5_000);
  await expect(waitForPhase(config('both'), 'both', 50)).rejects.toMatchObject({
    message: expect.stringMatching(/only~\w+ takes locks in "to", is to be in "both"/) as unknown,
  });
  await lease.release();
  const { processes } = await waitForPhase(config('both'), 'both', '5s');
  expect(processes).toMatchObject([{ desired: 'both', effective: 'both' }]);
});

test('a configuration of another provider, and a wrong phase, are refused', async () => {
  await expect(migrationStatus('memory:')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await expect(waitForPhase('memory:', 'there' as Phase, 5)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
});

test('a claim that is on its way to its second store hides no lock behind it', async () => {
  const stores = { from: createMemoryStore(), to: createMemoryStore() };
  const [from, to] = [createMemoryProvider({ store: stores.from }), createMemoryProvider({ store: stores.to })];
  const claim = { ttl: 5_000, mode: 'exclusive' } as const;
  const onItsWay = { ...claim, key: 'k0', owner: 'me/1~a' };
  await from.tryAcquire(onItsWay);
  for (let index = 1; index < 20; index += 1)
    await from.tryAcquire({ ...claim, key: `k${index}`, owner: `me/2~${index}` });
  for (let index = 1; index < 20; index += 1)
    await to.tryAcquire({ ...claim, key: `k${index}`, owner: `me/2~b${index}` });
  await from.tryAcquire({ ...claim, key: 'leader', owner: 'plain/1' });
  const arrives = async (): Promise<void> => void (await to.tryAcquire(onItsWay));
  const { alone, inBoth } = await findHolders(from, to, arrives);
  expect(alone).toMatchObject([{ key: 'leader', plain: true }]);
  expect(inBoth).toHaveLength(19);
});
