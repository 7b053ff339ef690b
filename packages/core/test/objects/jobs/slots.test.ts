import { expect, it, onTestFinished, vi } from 'vitest';
import type { Locks, OnceOptions, Slot } from '../../../src/index.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import { createFleet } from './fleet.ts';

it.each([
  ['2026-05', /"2026-05" is not a slot\. Pass the scheduled time as a Date\. Other slots are/],
  [1_700_000_000_000, /1700000000000 is not a slot/],
  [undefined, /undefined is not a slot/],
  [new Date(Number.NaN), /a Date after 1970/],
  [new Date(-1), /a Date after 1970/],
  [new Date(1_700_000_000_001), /2023-11-14T22:13:20\.001Z has milliseconds, so it seems to be the time of the call/],
  [{}, /option "every" is missing/],
  [{ every: '25h' }, /every.*100 to 86400000/],
  [{ every: '1h', at: -1 }, /at.*0 to 86400000/],
])('refuses %s for a slot, and says what is one', async (slot, message) => {
  const { process } = await createFleet();
  const call = process().once('report', slot as Slot, () => 0);
  await expect(call).rejects.toMatchObject({ code: 'LOCK_INVALID', message: expect.stringMatching(message) });
});

it.each([
  ['* * * * *', "{ every: '1m' }"],
  ['*/15 * * * *', "{ every: '15m' }"],
  ['15 * * * *', "{ every: '1h', at: '15m' }"],
  ['30 */6 * * *', "{ every: '6h', at: '30m' }"],
  ['0 3 * * *', "{ every: '24h', at: '3h' }"],
  ['30 2 * * ?', "{ every: '24h', at: '150m' }"],
  ['*/2 * * * * *', "{ every: '2s' }"],
  ['10 30 2 * * *', "{ every: '24h', at: '9010s' }"],
  ['daily', "{ every: '24h' }"],
  ['@hourly', "{ every: '1h' }"],
  ['Nightly', "{ every: '24h', at: '3h' }"],
  // They come at distances of their own, or more rarely than once in 24 h.
  ['*/7 * * * *', undefined],
  ['0 */5 * * *', undefined],
  ['*/10 3 * * *', undefined],
  ['0 9-17 * * MON-FRI', undefined],
  ['0 3 1,15 * *', undefined],
  ['@weekly', undefined],
  ['monthly', undefined],
])('refuses the schedule %s for a slot, and proposes %s', async (text, every) => {
  const { process } = await createFleet();
  const call = process().once('report', text as never, () => 0);
  const end = every === undefined ? '.' : `, or ${every}, in UTC.`;
  const advice = `Pass the scheduled time as a Date (in node-cron: context.date)${end}`;
  await expect(call).rejects.toMatchObject({
    code: 'LOCK_INVALID',
    message: `once: ${JSON.stringify(text)} is not a slot. ${advice}`,
  });
});

it.each([
  ['1h', " as a Date, or { every: '1h' }."],
  ['90s', " as a Date, or { every: '90s' }."],
  ['25h', '. Other slots are'],
  ['1000', '. Other slots are'],
])('refuses the duration %s for a slot', async (text, advice) => {
  const { process } = await createFleet();
  await expect(process().once('report', text as never, () => 0)).rejects.toThrow(advice);
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

it('takes a call in the second half of a period for one of the next slot', async () => {
  const { process, slot, runtime } = await createFleet();
  const locks = process();
  await runtime.advance(40_000);
  const slots: Slot = { every: '1m' };
  expect(await locks.once('report', slots, () => 0)).toMatchObject({ state: 'ran', job: { slot: slot(1) } });
  await runtime.advance(40_000);
  expect(await locks.once('report', slots, () => 0)).toMatchObject({ state: 'done' });
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
  await expect(locks.once('report', 'ever', (() => 0) as never, {} as never)).rejects.toThrow(
    'options before the work',
  );
  await locks.close();
  await expect(locks.job('report')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await expect(locks.once('report', 'ever', () => 0)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
});

/** How far the calls of a round are from its time, in ms. In each second round all are early. */
const distances = [
  [-300, 0, 120, 450, 800],
  [-300, -200, -100, -70, -30],
] as const;

/** Calls of five processes, each minute. Returns the runs of each round. */
async function rounds(slot: Slot, offset: number): Promise<readonly number[]> {
  const fleet = await createFleet();
  const { runtime, process } = fleet;
  const processes: Locks[] = distances[0].map(() => process());
  const runs = Array.from({ length: 20 }, () => 0);
  const start = runtime.clock.now();
  for (let round = 0; round < 20; round += 1) {
    const jitters = distances[round % 2]!;
    const calls = processes.map((locks, index) => ({ locks, jitter: jitters[(index + round) % jitters.length]! }));
    for (const { locks, jitter } of calls.toSorted((one, other) => one.jitter - other.jitter)) {
      await runtime.advance(Math.max(0, start + (round + 1) * 60_000 + offset + jitter - runtime.clock.now()));
      const call = watch(locks.once('job', slot, { ttl: 1_000 }, () => (runs[round]! += 1)));
      await runtime.advance(20);
      expect(call.state).toBe('fulfilled');
    }
  }
  return runs;
}

it('runs once in each slot by the clock of the store, also where calls come a little early or late', async () => {
  expect(new Set(await rounds({ every: '1m' }, 0))).toEqual(new Set([1]));
  expect(new Set(await rounds({ every: '1m', at: '15s' }, 15_000))).toEqual(new Set([1]));
});

it('leaves rounds out and runs others twice where calls come half a period from their times', async () => {
  vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const runs = await rounds({ every: '1m' }, 30_000);
  expect(runs).toEqual(runs.map((_, round) => (round % 2 === 0 ? 2 : 0)));
  expect(new Set(await rounds({ every: '1m', at: '30s' }, 30_000))).toEqual(new Set([1]));
});
