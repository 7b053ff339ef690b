import { expect, onTestFinished, test, vi } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import { migrationStatus, waitForPhase } from '../../src/index.ts';
import type { LockProvider, Locks, LocksConfig, MemoryStore } from '../../../core/src/index.ts';
import type { MigrationStatusOptions, Phase } from '../../src/index.ts';

/** Processes, and an operator, that meet in two memory stores. */
function fleet() {
  const stores = { from: createMemoryStore(), to: createMemoryStore() };
  const store = (end: 'from' | 'to') => ({
    provider: { fromConfig: () => createMemoryProvider({ store: stores[end] }) },
  });
  const config = (more: object = {}): LocksConfig => ({
    provider: 'migrate',
    options: { name: 'm', from: store('from'), to: store('to'), phase: 'both', presenceTtl: '2s', ...more },
  });
  const open = async (label: string, phase: Phase | (() => Phase), more: object = {}): Promise<Locks> => {
    const locks = await openLocks(config({ label, phase, ...more }));
    onTestFinished(() => locks.close());
    await locks.withLock(label, () => {});
    return locks;
  };
  const next = async (options?: MigrationStatusOptions, more?: object) =>
    (await migrationStatus(config(more), options)).next;
  return { stores, config, open, next };
}

/** A process without `migrate` takes a lock. */
async function takePlain(store: MemoryStore, key: string): Promise<LockProvider> {
  const provider = createMemoryProvider({ store });
  await provider.tryAcquire({ key, owner: 'old/1', ttl: 60_000, mode: 'exclusive' });
  return provider;
}

const silent = {
  provider: {
    fromConfig(): never {
      throw new LockError('LOCK_UNAVAILABLE', 'connection refused');
    },
  },
};
const wrong = {
  provider: {
    fromConfig(): never {
      throw new LockError('LOCK_MISCONFIGURED', 'no such host');
    },
  },
};

test.each(['from', 'both', 'to'] as const)('waitForPhase for %s needs a process, under this name', async (phase) => {
  const { config, open } = fleet();
  const wait = waitForPhase(config({ name: 'n' }), phase, 0);
  await expect(wait).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    message: expect.stringContaining('no process takes part under the name "n"') as unknown,
  });
  await open('p1', phase);
  await vi.waitFor(() => waitForPhase(config(), phase, 0), 5_000);
  await expect(waitForPhase(config({ name: 'n' }), phase, 0)).rejects.toMatchObject({
    message: expect.stringContaining('under the name "m": use that name') as unknown,
  });
});

test('waitForPhase waits for as many processes as it is told', async () => {
  const { config, open } = fleet();
  await open('p1', 'both');
  await vi.waitFor(() => waitForPhase(config(), 'both', 0, { processes: 1 }), 5_000);
  for (const processes of [2, 100]) {
    await expect(waitForPhase(config(), 'both', 0, { processes })).rejects.toMatchObject({
      message: expect.stringContaining(`1 process takes part, not ${processes}`) as unknown,
    });
  }
  const both = waitForPhase(config(), 'both', '10s', { processes: 2 });
  await open('p2', 'both');
  expect((await both).processes).toHaveLength(2);
  await expect(waitForPhase(config(), 'both', 0, { processes: 1 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  for (const processes of [0, 1.5, -1]) {
    await expect(waitForPhase(config(), 'both', 0, { processes })).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    await expect(migrationStatus(config(), { processes })).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  }
});

test.each([
  ['both', 'from'],
  ['both', 'to'],
  ['to', 'from'],
  ['from', 'to'],
] as const)('waitForPhase for %s waits for locks of plain processes in "%s"', async (phase, end) => {
  const { stores, config, open } = fleet();
  await open('p1', phase);
  await vi.waitFor(() => waitForPhase(config(), phase, 0), 5_000);
  const plain = await takePlain(stores[end], 'job');
  await expect(waitForPhase(config(), phase, 0)).rejects.toMatchObject({
    message: expect.stringContaining(`"job" is held in "${end}" without migrate, by old/1`) as unknown,
  });
  await plain.release({ key: 'job', owner: 'old/1', ttl: 1, mode: 'exclusive' });
  await waitForPhase(config(), phase, 0);
});

test.each(['from', 'both', 'to'] as const)(
  'a process with the constant phase %s comes back in the status',
  async (phase) => {
    const { stores, config, open } = fleet();
    await open('p1', phase);
    const seen = async () => (await migrationStatus(config(), { processes: 1 })).processes;
    await vi.waitFor(async () => expect(await seen()).toMatchObject([{ process: 'p1', effective: phase }]), 5_000);
    // Its sign is lost, as in a store that restarts empty.
    const end = phase === 'to' ? 'to' : 'from';
    const provider = createMemoryProvider({ store: stores[end] });
    const key = `migration/m/${phase === 'both' ? 'both/both' : phase}`;
    const { holders } = await provider.inspect(key);
    expect(holders).toHaveLength(1);
    for (const { owner } of holders) await provider.release({ key, owner, ttl: 1, mode: 'shared' });
    expect(await seen()).toEqual([]);
    await vi.waitFor(async () => expect(await seen()).toMatchObject([{ process: 'p1', effective: phase }]), 5_000);
  },
);

test('a status only reads', async () => {
  const { stores, config, open } = fleet();
  await open('p1', 'to');
  const changes: string[] = [];
  const reading = (end: 'from' | 'to') => ({
    provider: {
      fromConfig: (): LockProvider => {
        const store = createMemoryProvider({ store: stores[end] });
        const register: LockProvider['register'] = async (name, change) => {
          if (change !== undefined) changes.push(name);
          return await store.register?.(name);
        };
        const tryAcquire: LockProvider['tryAcquire'] = async ({ key }) => {
          changes.push(key);
          throw new Error(`status asks for ${key}`);
        };
        return Object.assign(Object.create(store) as LockProvider, {
          register,
          tryAcquire,
          time: () => store.time!(),
          list: (prefix: string) => store.list!(prefix),
          inspect: (key: string) => store.inspect(key),
          close: () => store.close(),
        });
      },
    },
  });
  const { from, to, processes } = await migrationStatus(config({ from: reading('from'), to: reading('to') }));
  expect([from.error, to.error, changes]).toEqual([undefined, undefined, []]);
  expect(processes).toHaveLength(1);
});

test('without a process the next step is both, unless the name is wrong or a store is silent', async () => {
  const { open, next } = fleet();
  expect(await next()).toEqual({ forward: { step: 'both', allowed: true, why: [] } });
  expect(await next({}, { to: silent })).toEqual({
    forward: { step: 'both', allowed: false, why: ['the store "to" (adapter) does not answer'] },
  });
  await open('p1', 'both');
  expect(await next({}, { name: 'n' })).toEqual({
    forward: {
      step: 'both',
      allowed: false,
      why: ['processes take part under the name "m": use that name if it is this migration'],
    },
  });
});

test('the steps of a fleet, there and back', async () => {
  const { open, next } = fleet();
  let phase: Phase = 'from';
  await open('p1', () => phase);
  await open('p2', () => phase);
  const steps = async () => {
    const { forward, back } = await next({ processes: 2 });
    return [forward, back].map((step) => [step?.step, step?.allowed, ...(step?.why ?? [])]);
  };
  const become = async (to: Phase, expected: unknown) => {
    phase = to;
    await vi.waitFor(async () => expect(await steps()).toEqual(expected), 8_000);
  };
  await become('from', [
    ['both', true],
    ['plain from', true],
  ]);
  await become('both', [
    ['to', true],
    ['from', true],
  ]);
  await become('to', [
    ['plain to', true],
    ['both', true],
  ]);
  await become('both', [
    ['to', true],
    ['from', true],
  ]);
  await become('from', [
    ['both', true],
    ['plain from', true],
  ]);
});

test('the next step waits for each process, and for the number of them', async () => {
  const { open, next } = fleet();
  await open('p1', 'from');
  await open('p2', 'both');
  expect((await next()).forward).toMatchObject({ step: 'both', allowed: true });
  expect((await next()).back).toMatchObject({ step: 'from', allowed: true });
  await open('p3', 'to');
  // Each end is in the way of the other one.
  expect((await next()).forward).toMatchObject({ step: 'both', allowed: true });
  expect((await next()).back).toMatchObject({ step: 'both', allowed: true });
});

test('the next step waits for processes that are missing, and for labels of their own', async () => {
  const { open, next } = fleet();
  await open('p1', 'both');
  await vi.waitFor(async () => expect((await next({ processes: 1 })).forward.allowed).toBe(true), 5_000);
  expect((await next({ processes: 2 })).forward).toEqual({
    step: 'to',
    allowed: false,
    why: ['1 process takes part, not 2'],
  });
  await open('p1', 'both');
  await vi.waitFor(async () => {
    expect((await next({ processes: 2 })).forward).toEqual({
      step: 'to',
      allowed: false,
      why: ['two processes are called "p1", or one that has just restarted'],
    });
  }, 5_000);
});

test('a process that is on its way to an end, or leaves one, is in the way of the plain provider', async () => {
  const { open, next } = fleet();
  await open('p1', 'to');
  let phase: Phase = 'to';
  const locks = await open('p2', () => phase);
  await vi.waitFor(async () => expect((await next({ processes: 2 })).forward.step).toBe('plain to'), 5_000);
  const lease = await locks.acquire('long', { ttl: 1_500 });
  phase = 'both';
  await vi.waitFor(async () => {
    expect(await next({ processes: 2 })).toMatchObject({ forward: { step: 'to' }, back: { step: 'both' } });
  }, 5_000);
  await lease.release();
  const late = fleet();
  await late.open('p1', 'from');
  await late.open('p2', 'to');
  const { forward } = await late.next({ processes: 2 });
  expect(forward).toMatchObject({ step: 'both', allowed: true });
});

test('a plain lock in the store that is left is in the way, of each end', async () => {
  const { stores, open, next } = fleet();
  await open('p1', 'both');
  await takePlain(stores.from, 'job');
  await vi.waitFor(async () => {
    expect(await next()).toEqual({
      forward: {
        step: 'to',
        allowed: false,
        why: ['"job" is held in "from" without migrate, by old/1'],
      },
      back: { step: 'from', allowed: true, why: [] },
    });
  }, 5_000);
  await takePlain(stores.to, 'other job');
  expect((await next()).back).toEqual({
    step: 'from',
    allowed: false,
    why: ['"other job" is held in "to" without migrate, by old/1'],
  });
});

test('presences of another migration in the same store are no plain locks', async () => {
  const { config, open, next } = fleet();
  await open('p1', 'both');
  await open('other', 'from', { name: 'another' });
  await vi.waitFor(async () => expect((await next({ processes: 1 })).forward.allowed).toBe(true), 5_000);
  expect((await migrationStatus(config())).from.direct).toEqual([]);
});

test('an end that was left comes after both, and the status says so', async () => {
  const { config, open, next } = fleet();
  let phase: Phase = 'from';
  await open('p1', () => phase);
  await vi.waitFor(() => waitForPhase(config(), 'from', 0), 5_000);
  phase = 'to';
  await vi.waitFor(async () => {
    expect(await next()).toEqual({
      forward: {
        step: 'plain to',
        allowed: false,
        why: [
          'p1 is in "both", waits for "to"',
          'processes went on to "from": "to" comes after phase "both", for some seconds',
        ],
        tokenFloor: undefined,
      },
      back: { step: 'both', allowed: true, why: [] },
    });
  }, 5_000);
  phase = 'both';
  await vi.waitFor(async () => expect((await next()).forward).toEqual({ step: 'to', allowed: true, why: [] }), 8_000);
  phase = 'to';
  await waitForPhase(config(), 'to', '5s');
});

test('a status does not need the phase of the fleet', async () => {
  const { config } = fleet();
  for (const phase of ['file:no-such-file', 'env:NO_SUCH_VARIABLE', undefined]) {
    expect((await migrationStatus(config({ phase }))).processes).toEqual([]);
  }
});

test('a slot that was taken in one store alone is in the way while its key rests', async () => {
  const { stores, open, next } = fleet();
  let phase: Phase = 'from';
  const locks = await open('p1', () => phase);
  await locks.once('job', 'today', { keep: 600_000 }, () => {});
  phase = 'both';
  const seen: unknown[] = [];
  await vi.waitFor(async () => {
    const { forward } = await next();
    seen.push(forward);
    expect(forward).toMatchObject({ step: 'to', allowed: false });
    expect(forward.why).toEqual([
      expect.stringMatching(/^"once.*today" is held in "from" alone by \S+, for \d+ ms more$/),
    ]);
  }, 8_000);
  phase = 'to';
  // It is refused: the slot would be free there.
  for (let call = 0; call < 3; call += 1) {
    expect(await locks.once('job', 'today', { keep: 600_000 }, () => {})).toEqual({ held: false });
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const provider = createMemoryProvider({ store: stores.from });
  for await (const key of provider.list!('once')) {
    for (const { owner } of (await provider.inspect(key)).holders) {
      await provider.release({ key, owner, ttl: 1, mode: 'exclusive' });
    }
  }
  await vi.waitFor(async () => expect((await next()).forward.step).toBe('plain to'), 5_000);
});

test('a silent store is in the way, unless an operator says that it is gone', async () => {
  const { config, open, next } = fleet();
  await open('p1', 'to');
  await vi.waitFor(() => waitForPhase(config(), 'to', 0), 5_000);
  expect(await next({}, { from: silent })).toMatchObject({
    forward: { step: 'plain to', allowed: false, why: ['the store "from" (adapter) does not answer'] },
    back: { step: 'both', allowed: false, why: ['the store "from" (adapter) does not answer'] },
  });
  await expect(waitForPhase(config({ from: silent }), 'to', 0)).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    cause: { code: 'LOCK_UNAVAILABLE' },
  });
  for (const from of [silent, wrong]) {
    expect(await next({}, { from, without: 'from' })).toMatchObject({
      forward: { step: 'plain to', allowed: true, why: [] },
      back: { step: 'both', allowed: false, why: ['the store "from" (adapter) does not answer'] },
    });
    expect((await waitForPhase(config({ from, without: 'from' }), 'to', 0)).processes).toHaveLength(1);
  }
  await expect(migrationStatus(config({ from: wrong }))).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await expect(migrationStatus(config({ from: wrong, without: 'to' }))).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
  });
});
