import { expect, it, onTestFinished } from 'vitest';
import type { LockProvider, Locks, OnceOptions, OnceResult, Slot } from '../../../src/index.ts';
import { createLocks, subscribe } from '../../../src/index.ts';
import { watch } from '../../support/setting.ts';
import { createFleet } from './fleet.ts';

const failed = Object.assign(new Error('no paper'), { exitCode: 3 });

function fails(locks: Locks, slot: Slot, options: OnceOptions = {}): Promise<unknown> {
  return expect(locks.once('report', slot, options, () => Promise.reject(failed))).rejects.toBe(failed);
}

it('runs in one process, and answers the others with the run', async () => {
  const { process, slot, runtime, pause } = await createFleet();
  const [one, two] = [process({ label: 'one' }), process()];
  const running = one.once('report', slot(0), async () => {
    await pause(2_000);
    return 'printed';
  });
  await runtime.advance(1_000);
  expect(await two.once('report', slot(0), () => 'again')).toMatchObject({
    held: false,
    state: 'running',
    job: { key: 'report', state: 'running', slot: slot(0), by: 'one', tries: 1, failures: 0 },
  });
  await runtime.advance(1_000);
  const run = { state: 'done', began: slot(0), ended: new Date(slot(0).getTime() + 2_000), lastDone: slot(0) };
  expect(await running).toMatchObject({ held: true, state: 'ran', value: 'printed', job: run });
  expect(await two.once('report', slot(0), () => 'again')).toMatchObject({ held: false, state: 'done', job: run });
});

it('runs in the next slot, and answers late calls of an earlier one', async () => {
  const { process, slot, runtime } = await createFleet();
  const locks = process();
  await locks.once('report', slot(0), () => 0);
  await runtime.advance(60_000);
  expect(await locks.once('report', slot(1), () => 1)).toMatchObject({ state: 'ran', value: 1 });
  expect(await locks.once('report', slot(0), () => 2)).toMatchObject({ state: 'passed', job: { slot: slot(1) } });
});

it('takes a failed run for the end of its slot', async () => {
  const { process, slot, runtime } = await createFleet();
  const locks = process();
  await fails(locks, slot(0));
  const job = { state: 'failed', exitCode: 3, error: 'no paper', failures: 1, tries: 1 };
  expect(await locks.once('report', slot(0), () => 0)).toMatchObject({ held: false, state: 'failed', job });
  await runtime.advance(60_000);
  const later = await locks.once('report', slot(1), () => 0);
  expect(later).toMatchObject({ state: 'ran', job: { failures: 0, lastDone: slot(1) } });
  expect(later.job).not.toHaveProperty('error');
});

it('runs a failed slot again where it may, so often and not before', async () => {
  const { process, slot, runtime } = await createFleet();
  const locks = process();
  const options = { onFailure: { retries: 2, after: '5s' } } as const;
  await fails(locks, slot(0), options);
  const tooEarly = await locks.once('report', slot(0), options, () => 0);
  expect(tooEarly).toMatchObject({ state: 'failed', job: { tries: 1 } });
  await runtime.advance(5_000);
  await fails(locks, slot(0), options);
  await runtime.advance(5_000);
  await fails(locks, slot(0), options);
  await runtime.advance(5_000);
  const last = await locks.once('report', slot(0), options, () => 0);
  expect(last).toMatchObject({ state: 'failed', job: { tries: 3, failures: 3 } });
});

it('runs a failed slot again after a while by the default of retry', async () => {
  const { process, slot } = await createFleet();
  const [one, two] = [process(), process()];
  await fails(one, slot(0), { onFailure: 'retry' });
  const again = await two.once('report', slot(0), { onFailure: 'retry' }, () => 'printed');
  expect(again).toMatchObject({ state: 'ran', value: 'printed', job: { tries: 2, failures: 0 } });
});

/** A process that takes the job and never answers again. */
async function die(locks: Locks, slot: Slot, lockDelay = 0): Promise<void> {
  void locks.once('report', slot, { ttl: 1_000, lockDelay, renew: false }, () => new Promise(() => {})).catch(() => {});
}

it.each([
  ['keep', { held: false, state: 'failed', job: { state: 'crashed', failures: 1 } }],
  ['retry', { held: true, state: 'ran', value: 2, job: { tries: 2 } }],
] as const)('finds a run that died, and with %s says so or takes over', async (onFailure, expected) => {
  const { process, slot, runtime } = await createFleet();
  const [one, two, three] = [process(), process(), process()];
  await die(one, slot(0));
  await runtime.advance(100);
  const waiting = watch(two.once('report', slot(0), { onFailure, wait: '5s' }, () => 2));
  await runtime.advance(500);
  expect(waiting.state).toBe('open');
  expect(await three.once('report', slot(0), () => 3)).toMatchObject({ state: 'running' });
  await runtime.advance(1_000);
  expect(waiting.value).toMatchObject(expected);
  const { state, job } = await three.once('report', slot(0), () => 3);
  expect([state, job?.state]).toEqual(onFailure === 'keep' ? ['failed', 'crashed'] : ['done', 'done']);
});

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

it('runs the next slot though the run before died just before it', async () => {
  const { process, slot, runtime } = await createFleet();
  const [one, two] = [process(), process()];
  await runtime.advance(59_900);
  await die(one, slot(0));
  await runtime.advance(100);
  const next = watch(two.once('report', slot(1), () => 2));
  await runtime.advance(2_000);
  expect(next.value).toMatchObject({ state: 'ran', job: { slot: slot(1), tries: 1 } });
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
  const { name, traits } = store;
  // It closes while its record is written.
  const closing: { locks?: Locks } = {};
  const slow: LockProvider = {
    name,
    traits,
    tryAcquire: (...call) => store.tryAcquire(...call),
    renew: (...call) => store.renew(...call),
    release: (claim) => store.release(claim),
    inspect: (key) => store.inspect(key),
    register: async (...call) => {
      const text = await store.register!(...call);
      if (call[1]?.to?.includes(';r;') === true) void closing.locks?.close();
      return text;
    },
    close: () => store.close(),
  };
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

it('takes a run whose lock was lost for no finished one', async () => {
  const { process, slot, runtime, pause } = await createFleet();
  const [one, two] = [process(), process()];
  const lost = watch(one.once('report', slot(0), { maxHold: 500 }, () => pause(1_000)));
  await runtime.advance(1_000);
  expect(lost.error).toMatchObject({ code: 'LOCK_LOST' });
  expect(await two.once('report', slot(0), () => 0)).toMatchObject({ state: 'failed', job: { state: 'lost' } });
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

it('never runs twice in a slot where many ask at the same moment', async () => {
  const { process, slot, runtime } = await createFleet();
  const processes = Array.from({ length: 20 }, () => process());
  for (let round = 0; round < 10; round += 1) {
    const calls = watch(Promise.all(processes.map((locks) => locks.once('report', slot(round), () => round))));
    await runtime.advance(60_000);
    const states = (calls.value as readonly OnceResult<number>[]).map(({ state }) => state);
    expect(states.filter((state) => state === 'ran')).toHaveLength(1);
    expect(states.filter((state) => state !== 'ran' && state !== 'done' && state !== 'running')).toEqual([]);
  }
});
