import { expect, it, onTestFinished, vi } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { Locks, OnceOptions, Slot } from '../../../src/index.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import { createFleet } from './fleet.ts';

it.each([
  ['* * * * *', /"\* \* \* \* \*" is no slot\. Give the time that the schedule names, as a Date/],
  ['daily', /"daily" is no slot/],
  [1_700_000_000_000, /1700000000000 is no slot/],
  [undefined, /undefined is no slot/],
  [new Date(Number.NaN), /a Date after 1970/],
  [new Date(-1), /a Date after 1970/],
  [new Date(1_700_000_000_001), /2023-11-14T22:13:20\.001Z has milliseconds, so it is the time of the call/],
  [{}, /option "every" is missing/],
  [{ every: '25h' }, /every.*100 to 86400000/],
  [{ every: '1h', at: -1 }, /at.*0 to 86400000/],
])('refuses %s for a slot, and says what is one', async (slot, message) => {
  const { process } = await createFleet();
  const call = process().once('report', slot as Slot, () => 0);
  await expect(call).rejects.toMatchObject({ code: 'LOCK_INVALID', message: expect.stringMatching(message) });
});

it.each([
  [{ onFailure: 'again' }, /onFailure.*'keep', 'retry' or an object/],
  [{ onFailure: { retries: -1 } }, /"retries".*0 to 1000/],
  [{ onFailure: { tries: 1 } }, /"tries"/],
  [{ wait: -1 }, /wait/],
  [{ next: new Date(Number.NaN) }, /next.*a Date or/],
  [{ keep: 1 }, /"keep"/],
])('refuses the options %s', async (options, message) => {
  const { process, slot } = await createFleet();
  const call = process().once('report', slot(0), options as OnceOptions, () => 0);
  await expect(call).rejects.toMatchObject({ code: 'LOCK_INVALID', message: expect.stringMatching(message) });
});

it('does not let a clock that is ahead take the rounds of others', async () => {
  const { process, slot } = await createFleet();
  const locks = process();
  const ahead = locks.once('report', slot(1), () => 0);
  await expect(ahead).rejects.toMatchObject({ code: 'LOCK_INVALID', message: expect.stringMatching(/60000 ms ahead/) });
  expect(await locks.once('report', slot(0.05), () => 0)).toMatchObject({ state: 'ran' });
});

it('runs once for all time', async () => {
  const { process, runtime } = await createFleet();
  const locks = process();
  expect(await locks.once('seed', 'ever', () => 0)).toMatchObject({ state: 'ran', job: { slot: 'ever' } });
  await runtime.advance(400 * 86_400_000);
  expect(await locks.once('seed', 'ever', () => 0)).toMatchObject({ state: 'done', job: { lastDone: 'ever' } });
});

it('is refused without registers, by work that is none, and after close', async () => {
  const { locks } = createFreeSetting();
  const call = locks.once('report', 'ever', () => 0);
  await expect(call).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(/registers/) });
  await expect(locks.once('report', 'ever', {}, 1 as never)).rejects.toThrow('once(key, slot, options, work): "work"');
  await expect(locks.once('report', 'ever', (() => 0) as never, {} as never)).rejects.toThrow('options come before');
  await locks.close();
  await expect(locks.job('report')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await expect(locks.once('report', 'ever', () => 0)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
});

/** Calls of five processes, each round, by their distance from it in ms. Returns the runs. */
async function rounds(slot: Slot, period: number, offset: number, jitters: readonly number[]): Promise<number> {
  const fleet = await createFleet();
  const { runtime, process } = fleet;
  const processes: Locks[] = jitters.map(() => process());
  let runs = 0;
  const start = runtime.clock.now();
  for (let round = 1; round <= 20; round += 1) {
    const calls = processes.map((locks, index) => ({ locks, jitter: jitters[(index + round) % jitters.length]! }));
    for (const { locks, jitter } of calls.toSorted((one, other) => one.jitter - other.jitter)) {
      await runtime.advance(Math.max(0, start + round * period + offset + jitter - runtime.clock.now()));
      const call = watch(locks.once('job', slot, { ttl: 1_000 }, () => (runs += 1)));
      await runtime.advance(20);
      expect(call.state).toBe('fulfilled');
    }
  }
  return runs;
}

it('runs once in each slot by the clock of the store, also where calls come a little early or late', async () => {
  expect(await rounds({ every: '1m' }, 60_000, 0, [-300, 0, 120, 450, 800])).toBe(20);
  expect(await rounds({ every: '1m', at: '15s' }, 60_000, 15_000, [-300, 0, 120, 450, 800])).toBe(20);
});

it('runs in a slot that is ahead by almost half a period', async () => {
  const { process, runtime, slot } = await createFleet();
  await runtime.advance(31_000);
  expect(await process().once('job', { every: '1m' }, () => 0)).toMatchObject({ state: 'ran', job: { slot: slot(1) } });
});

it('warns for each key whose calls come at the edge of their slots, where rounds are left out and run twice', async () => {
  const heard: (readonly [string, unknown])[] = [];
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation((text, options) => {
    heard.push([String(text), (options as { code: string }).code]);
  });
  onTestFinished(() => warn.mockRestore());
  const { runtime, provider } = await createFleet();
  const locks = createLocks(provider(), { runtime });
  await runtime.advance(30_000 - 100);
  for (const key of ['one', 'two', 'one']) await locks.once(key, { every: '1m' }, () => 0);
  expect(heard).toEqual([
    [
      expect.stringMatching(/once\("one"\) came at the edge.* rounds may be left out, and others may run twice/),
      'LOCKS_ONCE_EDGE',
    ],
    [expect.stringMatching(/once\("two"\)/), 'LOCKS_ONCE_EDGE'],
  ]);
});
