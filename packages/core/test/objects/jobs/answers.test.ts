import { expect, it, onTestFinished } from 'vitest';
import type { Locks, OnceOptions, Slot } from '../../../src/index.ts';
import { createLocks, subscribe } from '../../../src/index.ts';
import { replaced } from '../../support/replaced.ts';
import { watch } from '../../support/setting.ts';
import { createFleet } from './fleet.ts';

const failed = Object.assign(new Error('no paper'), { exitCode: 3 });

function fails(locks: Locks, slot: Slot, options: OnceOptions = {}): Promise<unknown> {
  return expect(locks.once('report', slot, options, () => Promise.reject(failed))).rejects.toBe(failed);
}

/** A process that takes the job and never answers again. */
async function die(locks: Locks, slot: Slot, lockDelay = 0): Promise<void> {
  void locks.once('report', slot, { ttl: 1_000, lockDelay, renew: false }, () => new Promise(() => {})).catch(() => {});
}

it('keeps a job closed for its lock delay after the death of its run', async () => {
  const { process, slot, runtime } = await createFleet();
  await die(process(), slot(0), 7_000);
  await runtime.advance(100);
  const next = watch(process().once('report', slot(0.05), { ttl: 1_000, lockDelay: 7_000 }, () => 2));
  await runtime.advance(7_800);
  expect(next.state).toBe('open');
  await runtime.advance(2_000);
  expect(next.value).toMatchObject({ state: 'ran' });
});

it.each<[effect: string, options: OnceOptions, leftOut: number, late: number]>([
  ['run late', {}, 0, 4],
  ['are left out where calls do not wait', { wait: 0 }, 4, 0],
  ['are in time with a shorter ttl', { ttl: '1s', wait: 0 }, 0, 0],
])('is asked for more often than its ttl: after a death rounds %s', async (_effect, options, leftOut, late) => {
  const { process, slot, runtime } = await createFleet();
  const rounds = Array.from({ length: 10 }, (_, round) => slot(round / 30));
  const [dead, ...others] = [process(), process(), process()];
  watch(dead.once('report', rounds[0]!, { ...options, renew: false }, () => new Promise(() => {})));
  const lateness: number[] = [];
  for (const round of rounds.slice(1)) {
    await runtime.advance(2_000);
    const work = () => lateness.push(runtime.clock.origin + runtime.clock.now() - round.getTime());
    for (const locks of others) watch(locks.once('report', round, options, work));
  }
  await runtime.advance(20_000);
  expect([9 - lateness.length, lateness.filter((ms) => ms > 100).length]).toEqual([leftOut, late]);
});

it('runs the slots that came meanwhile one after the other when a run has died', async () => {
  const { process, slot, runtime } = await createFleet();
  const processes = [process(), process(), process()];
  const started: number[] = [];
  void processes[0]!.once('report', slot(0), { ttl: 9_500, renew: false }, () => new Promise(() => {})).catch(() => {});
  for (let round = 1; round <= 6; round += 1) {
    await runtime.advance(1_300);
    for (const locks of processes) {
      void locks.once('report', slot(round / 60), { ttl: 10_000 }, () => started.push(round)).catch(() => {});
      await runtime.advance(70);
    }
  }
  await runtime.advance(10_000);
  expect(started).toEqual([1, 2, 3, 4, 5, 6]);
});

it('leaves a slot out while the run before is still at work, and says so', async () => {
  const { process, slot, runtime, pause } = await createFleet();
  const [one, two] = [process(), process()];
  const long = watch(one.once('report', slot(0), () => pause(100_000)));
  await runtime.advance(60_000);
  const next = watch(two.once('report', slot(1), () => 2));
  await runtime.advance(20_000);
  expect(next.value).toMatchObject({ held: false, state: 'running', job: { slot: slot(0) } });
  await runtime.advance(20_000);
  expect(long.value).toMatchObject({ state: 'ran' });
});

it.each(['signal', 'close'] as const)('takes work that a %s stopped for stopped, which costs no try', async (by) => {
  const { process, slot, runtime } = await createFleet();
  const [one, two] = [process({ drain: '1s' }), process()];
  const stop = new AbortController();
  const work = one.once('report', slot(0), { onFailure: 'retry', signal: stop.signal }, async (lease) => {
    return await new Promise((_, reject) => {
      for (const { signal } of [lease, stop]) signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  });
  const ending = watch(work);
  await runtime.advance(100);
  if (by === 'signal') stop.abort();
  const closing = by === 'close' ? one.close() : undefined;
  await runtime.advance(100);
  await closing;
  expect(ending.error).toMatchObject({ message: 'stopped' });
  expect(await two.once('report', slot(0), () => 0)).toMatchObject({
    state: 'failed',
    job: { state: 'stopped', tries: 0 },
  });
  expect(await two.once('report', slot(0), { onFailure: 'retry' }, () => 0)).toMatchObject({
    state: 'ran',
    job: { tries: 1 },
  });
});

it('leaves a slot to others whose process closed before the work began', async () => {
  const { process, provider, slot, runtime } = await createFleet();
  const store = provider();
  // It closes while its record is written.
  const closing: { locks?: Locks } = {};
  const slow = replaced(store, {
    register: async (...call) => {
      const text = await store.register!(...call);
      if (call[1]?.to?.includes(';r;') === true) void closing.locks?.close();
      return text;
    },
  });
  closing.locks = createLocks(slow, { runtime, drain: '1s' });
  let runs = 0;
  const closed = watch(closing.locks.once('report', slot(0), () => (runs += 1)));
  await runtime.advance(100);
  expect(closed.error).toMatchObject({ code: 'LOCK_CLOSED' });
  const other = process();
  expect((await other.job('report'))?.state).toBe('open');
  expect(await other.once('report', slot(0), () => (runs += 1))).toMatchObject({ state: 'ran', job: { tries: 1 } });
  expect(runs).toBe(1);
});

it('tells each answer to listeners', async () => {
  const { process, slot } = await createFleet();
  const locks = process();
  const heard: unknown[] = [];
  const end = subscribe('locks:job', ({ key, ran, state }) => heard.push([key, ran, state]));
  onTestFinished(() => end());
  await locks.once('report', slot(0), () => 0);
  await locks.once('report', slot(0), () => 0);
  await fails(locks, slot(0.05));
  expect(heard).toEqual([
    ['report', true, 'done'],
    ['report', false, 'done'],
    ['report', true, 'failed'],
  ]);
});
