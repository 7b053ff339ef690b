import { expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { JobRun, LockProvider, Locks } from '../../../src/index.ts';
import { clockAhead, replaced } from '../../support/replaced.ts';
import { watch } from '../../support/setting.ts';
import { jobOfLock, lockOfJob } from '../../../src/objects/jobs/job-lock.ts';
import { parseRecord, recordText } from '../../../src/objects/jobs/job-record.ts';
import { collect } from '../../../../test-servers/src/support/collect.ts';
import { createFleet } from './fleet.ts';

async function all(locks: Locks): Promise<JobRun[]> {
  return (await collect(locks.jobs())).toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

it('lists the last run of each job, however long its key is', async () => {
  const { process, slot, runtime } = await createFleet();
  const [one, two] = [process(), process()];
  const long = 'ü'.repeat(200);
  const keys = ['%', 'a/b', 'mails', `${long}1`, `${long}2`];
  for (let round = 0; round < 3; round += 1) {
    for (const key of keys) await (round % 2 === 0 ? one : two).once(key, slot(round), () => 0);
    await runtime.advance(60_000);
  }
  const found = await all(two);
  expect(found.map(({ key }) => key.slice(0, 5))).toEqual(['%', 'a/b', 'mails', 'üüüüü', 'üüüüü']);
  expect(found.map(({ slot: at }) => at)).toEqual(keys.map(() => slot(2)));
  expect((await one.job(`${long}2`))?.slot).toEqual(slot(2));
  expect(await one.job('never')).toBeUndefined();
});

it('knows the job of a lock, and the keys that are of no job', () => {
  for (const key of ['%', 'a/b', 'mails', 'once/a', '#']) expect(jobOfLock(lockOfJob(key))).toBe(key);
  const long = 'ü'.repeat(200);
  expect(jobOfLock(lockOfJob(long))).toMatch(/^ü+$/);
  for (const key of ['mails', 'once/100%', 'once/a/b', 'once/%6D']) expect(jobOfLock(key)).toBeUndefined();
});

it('forgets a job, and gives its place to another one', async () => {
  const { process, provider, slot } = await createFleet();
  const locks = process();
  for (const key of ['a', 'b', 'c']) await locks.once(key, slot(0), () => 0);
  expect(await locks.forgetJob('a')).toBe(true);
  expect(await locks.forgetJob('a')).toBe(false);
  expect((await all(locks)).map(({ key }) => key)).toEqual(['b', 'c']);
  await locks.once('d', slot(0), () => 0);
  expect(await locks.once('a', slot(0), () => 0)).toMatchObject({ state: 'ran' });
  expect((await all(process())).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
  // Vacant places at the end of the list are removed.
  for (const key of ['b', 'd', 'c', 'a']) expect(await locks.forgetJob(key)).toBe(true);
  for (const place of [0, 1, 2, 3, 4]) expect(await provider().register!(`jobs/${place}`)).toBeUndefined();
});

it('tells that a job is overdue by when it was due next', async () => {
  const { process, slot, runtime } = await createFleet();
  const locks = process();
  await locks.once('date', slot(0), { next: slot(1) }, () => 0);
  await locks.once('span', slot(0), { next: '1h' }, () => 0);
  await locks.once('every', { every: '1m' }, () => 0);
  await locks.once('unknown', slot(0), () => 0);
  const overdue = async (): Promise<readonly boolean[]> => (await all(locks)).map((job) => job.overdue);
  await runtime.advance(119_000);
  expect(await overdue()).toEqual([false, false, false, false]);
  await runtime.advance(2_000);
  expect(await overdue()).toEqual([true, true, false, false]);
  expect((await all(locks)).map(({ next }) => next)).toEqual([slot(1), slot(1), slot(60), undefined]);
});

it('keeps at most 200 characters of a run, and reads what it wrote', () => {
  const times = { slot: 8e12, began: 8e12, ended: 8e12, lastDone: 8e12, next: 8e12 };
  const counts = { tries: 99_999, failures: 99_999, exitCode: 255 };
  const record = {
    ...times,
    ...counts,
    run: 'x'.repeat(16),
    state: 'failed',
    by: 'ü'.repeat(60),
    error: '🙂;'.repeat(60),
  };
  const text = recordText(record as never);
  expect(text).toMatch(/^[!-~]{150,200}$/);
  const read = parseRecord('report', text);
  expect(read).toMatchObject({ ...times, ...counts, run: record.run, state: 'failed' });
  expect(record.by.startsWith(read.by)).toBe(true);
  expect(record.error.startsWith(read.error ?? '')).toBe(true);
  expect(read.error?.length).toBeGreaterThan(0);
  expect(() => parseRecord('report', text.replace('1', '2'))).toThrow(/"report".*newer version/);
});

/** The same provider with other registers. */
function withRegister(provider: LockProvider, register: NonNullable<LockProvider['register']>): LockProvider {
  return replaced(provider, { register });
}

/** The same, with writes that fail, or whose answers are lost. */
function faulty(provider: LockProvider, fault: (to: string) => 'before' | 'after' | undefined): LockProvider {
  return withRegister(provider, async (name, change) => {
    const when = name.startsWith('job/') && change?.to !== undefined ? fault(change.to) : undefined;
    if (when === 'before') throw new Error('cut');
    const answer = await provider.register!(name, change);
    if (when === 'after') throw new Error('cut');
    return answer;
  });
}

it('does not run where the store does not take the record', async () => {
  const { provider, slot, runtime, process } = await createFleet();
  const locks = createLocks(
    faulty(provider(), (to) => (to.includes(';r;') ? 'before' : undefined)),
    { runtime },
  );
  const call = watch(locks.once('report', slot(0), { ttl: 1_000, renew: false }, () => 0));
  await runtime.advance(5_000);
  expect(call.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(await process().once('report', slot(0), () => 1)).toMatchObject({ state: 'ran', value: 1 });
});

it('asks anew where another run was recorded under a lost lock', async () => {
  const { provider, slot, runtime, process } = await createFleet();
  const other = process();
  let meanwhile: Promise<unknown> | undefined;
  // The lock of the first call is gone when it writes, and a call of an earlier slot has run.
  const store = provider();
  const slow = withRegister(store, async (name, change) => {
    if (change?.to?.includes(';r;') === true && meanwhile === undefined) {
      const [holder] = (await other.inspect('once/report')).holders;
      await other.forceRelease(holder!);
      meanwhile = other.once('report', slot(0), () => 'early');
      await meanwhile;
    }
    return await store.register!(name, change);
  });
  const locks = createLocks(slow, { runtime });
  const late = watch(locks.once('report', slot(0.05), () => 'late'));
  await runtime.advance(60_000);
  expect(await meanwhile).toMatchObject({ state: 'ran', value: 'early' });
  expect(late.value).toMatchObject({ state: 'ran', value: 'late' });
});

it('is closed after the end of a run is recorded, also where that takes longer than it may', async () => {
  const { provider, slot, runtime, process, pause } = await createFleet();
  const store = provider();
  let isOpen = true;
  const slow = withRegister(store, async (name, change) => {
    if (change?.to?.includes(';s;') === true) await pause(1_000);
    if (!isOpen) throw new Error('closed');
    return await store.register!(name, change);
  });
  const closing = replaced(slow, { close: () => Promise.resolve(void (isOpen = false)) });
  const locks = createLocks(closing, { runtime, drain: '100ms', closeProvider: true });
  const run = watch(
    locks.once('report', slot(0), ({ signal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    }),
  );
  await runtime.advance(100);
  const closed = watch(locks.close());
  await runtime.advance(900);
  expect(closed.state).toBe('open');
  await runtime.advance(1_000);
  expect([run.error, isOpen]).toMatchObject([{ code: 'LOCK_LOST', cause: { message: 'stopped' } }, false]);
  expect(await process().job('report')).toMatchObject({ state: 'stopped', tries: 0 });
});

it('takes a run that ends while it is asked for for no crashed one', async () => {
  const { provider, slot, runtime, process, pause } = await createFleet();
  const running = watch(process().once('report', slot(0), () => pause(1_000)));
  await runtime.advance(500);
  // The run ends between the look at its record and that at its lock.
  const store = provider();
  const late = withRegister(store, async (name, change) => {
    const text = await store.register!(name, change);
    if (running.state === 'open') await pause(1_000);
    return text;
  });
  const asked = watch(createLocks(late, { runtime }).once('report', slot(0), () => 0));
  await runtime.advance(2_000);
  expect(running.value).toMatchObject({ state: 'ran' });
  expect(asked.value).toMatchObject({ held: false, state: 'done', job: { state: 'done' } });
});

it('lists a job again that another process has forgotten, and one that runs while it is forgotten', async () => {
  const { provider, slot, runtime, process } = await createFleet();
  const [one, two] = [process(), process()];
  await one.once('report', slot(0), () => 0);
  expect(await two.forgetJob('report')).toBe(true);
  await one.once('report', slot(0), () => 0);
  expect((await all(two)).map(({ key }) => key)).toEqual(['report']);
  await runtime.advance(60_000);
  const store = provider();
  let ran: unknown;
  const slow = withRegister(store, async (name, change) => {
    if (name.startsWith('job/') && change !== undefined) ran ??= await one.once('report', slot(1), () => 1);
    return await store.register!(name, change);
  });
  expect(await createLocks(slow, { runtime }).forgetJob('report')).toBe(false);
  expect(ran).toMatchObject({ state: 'ran' });
  expect((await all(two)).map(({ key, slot: at }) => [key, at])).toEqual([['report', slot(1)]]);
});

it('repeats by the clock of the store, not by that of the process', async () => {
  const { provider, slot, runtime, process } = await createFleet();
  const failing = process().once('report', slot(0), () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  const store = provider();
  // Its process is an hour behind, or ahead.
  for (const [off, onFailure, state] of [
    [3_600_000, { retries: 3, after: '10s' }, 'failed'],
    [-3_600_000, 'retry', 'ran'],
  ] as const) {
    const locks = createLocks(store, { runtime: clockAhead(runtime, off) });
    expect(await locks.once('report', slot(0), { onFailure }, () => 0)).toMatchObject({ state });
  }
});
