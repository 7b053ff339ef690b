import { expect, onTestFinished, test, vi } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import { migrationStatus, waitForPhase } from '../../src/index.ts';
import type { LocksConfig, Locks } from '../../../core/src/index.ts';
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
    options: { name: 'm', from: adapter('from'), to: adapter('to'), phase, presenceTtl: '2s', ...more },
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

test('it tells which processes act, and which wait', async () => {
  const { config, open } = fleet();
  await open('first', 'from');
  await open('second', 'both');
  await vi.waitFor(async () => expect((await migrationStatus(config('both'))).processes).toHaveLength(2), 5_000);
  await open('third', 'to');
  const { name, processes, from, to } = await migrationStatus(config('both'));
  expect(name).toBe('m');
  expect(processes).toMatchObject([
    { process: 'first', desired: 'from', effective: 'from' },
    { process: 'second', desired: 'both', effective: 'both' },
    { process: 'third', desired: 'to', effective: 'both' },
  ]);
  for (const { since } of processes) expect(Math.abs((since ?? 0) - Date.now())).toBeLessThan(5_000);
  expect([from, to]).toMatchObject([
    { store: 'memory', direct: [] },
    { store: 'memory', direct: [] },
  ]);
});

test('it names locks of processes that do not take part', async () => {
  const { stores, config, open } = fleet();
  const locks = await open('first', 'both');
  await locks.acquire('through');
  const plain = createMemoryProvider({ store: stores.from });
  await plain.tryAcquire({ key: 'direct', owner: 'old/1', ttl: 5_000, mode: 'exclusive' });
  const { from, to } = await migrationStatus(config('both'));
  expect(from.direct).toMatchObject([{ key: 'direct', owner: 'old/1' }]);
  expect(to.direct).toEqual([]);
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
  expect(to).toMatchObject({ plainSafeIn: undefined, direct: undefined, error: { code: 'LOCK_UNAVAILABLE' } });
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
    message: expect.stringMatching(/first is in "from"; second is in "both", waits for "to"/) as unknown,
  });
  phase = 'both';
  await vi.waitFor(async () => {
    const { forward } = (await migrationStatus(config('both'))).next;
    expect(forward).toEqual({ step: 'to', allowed: true, why: [] });
  }, 8_000);
  phase = 'to';
  const status = await waitForPhase(config('both'), 'to', '20s');
  expect(status.processes.map(({ effective }) => effective)).toEqual(['to', 'to']);
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
  const presences = async () => (await createMemoryProvider({ store: stores.to }).inspect('migration/m/to')).holders;
  await vi.waitFor(async () => expect(await presences()).toHaveLength(1), 5_000);
  const waiting = { process: 'only', desired: 'to', effective: 'both' };
  expect((await migrationStatus(config('both'))).processes).toMatchObject([waiting]);
  for (const phase of ['both', 'to'] as const) {
    await expect(waitForPhase(config('both'), phase, 50)).rejects.toMatchObject({
      message: expect.stringContaining('only is in "both", waits for "to"') as unknown,
    });
  }
  answer();
  expect(await granted).not.toBeInstanceOf(Error);
  const { processes } = await waitForPhase(config('both'), 'to', '5s');
  expect(processes).toMatchObject([{ process: 'only', desired: 'to', effective: 'to' }]);
});

test('a process that leaves an end acts under it until its last lease there is over', async () => {
  const { config, open } = fleet();
  let phase: Phase = 'to';
  const locks = await open('only', () => phase, { presenceTtl: '10s' });
  const lease = await locks.acquire('key', { ttl: 20_000, renew: false });
  phase = 'both';
  await vi.waitFor(async () => {
    expect((await migrationStatus(config('both'))).processes).toMatchObject([
      { process: 'only', desired: 'both', effective: 'to' },
    ]);
  }, 5_000);
  await expect(waitForPhase(config('both'), 'both', 50)).rejects.toMatchObject({
    message: expect.stringContaining('only is in "to", waits for "both"') as unknown,
  });
  await lease.release();
  const { processes } = await waitForPhase(config('both'), 'both', '5s');
  expect(processes).toMatchObject([{ process: 'only', desired: 'both', effective: 'both' }]);
});

test('a configuration of another provider, and a wrong phase, are refused', async () => {
  await expect(migrationStatus('memory:')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await expect(waitForPhase('memory:', 'there' as Phase, 5)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
});
