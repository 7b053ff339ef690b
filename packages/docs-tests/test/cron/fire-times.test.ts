import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLocks, createMemoryProvider } from '@locks/core';
import { CronJob } from 'cron';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { schedule } from 'node-cron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { root } from '../support/repository.ts';

const timeZone = 'Europe/Berlin';
const hour = 3_600_000;

/** As of the example and of the page. */
const { fireTime } = (await import(pathToFileURL(join(root, 'examples/cron/fire-time.js')).href)) as {
  fireTime(expression: string, zone: string, now?: number): Date;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When a library names a round in a night. */
interface Fired {
  /** In ms since 1970. */
  readonly at: number;
  /** The time that it names, or that `fireTime` does. */
  readonly slot: Date;
}

type Library = 'node-cron' | 'croner' | 'cron' | 'cron-parser';

/** Runs the libraries for eight hours, from about midnight in Berlin. */
async function night(date: string, expression: string, zone = timeZone): Promise<Record<Library, readonly Fired[]>> {
  const start = new Date(`${date}T00:00:00Z`).getTime() - 2 * hour;
  vi.setSystemTime(start);
  const fired: Record<Library, Fired[]> = { 'node-cron': [], croner: [], cron: [], 'cron-parser': [] };
  const note = (library: Library, slot = fireTime(expression, zone)): void => {
    fired[library].push({ at: Math.floor(Date.now() / 1_000) * 1_000, slot });
  };
  const task = schedule(expression, ({ date: slot }) => note('node-cron', slot), { timezone: zone });
  const croner = new Cron(expression, { timezone: zone }, () => note('croner'));
  const cron = CronJob.from({ cronTime: expression, timeZone: zone, start: true, onTick: () => note('cron') });
  await vi.advanceTimersByTimeAsync(8 * hour + 1_000);
  await task.destroy();
  croner.stop();
  await cron.stop();
  // It does not run jobs. BullMQ asks it for the next time.
  const times = CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(start) });
  for (let next = times.next(); next.getTime() < Date.now(); next = times.next()) {
    fired['cron-parser'].push({ at: next.getTime(), slot: next.toDate() });
  }
  return fired;
}

function timesOf(fired: readonly Fired[]): readonly string[] {
  return fired.map(({ slot }) => slot.toISOString().slice(11, 16));
}

const rows = readFileSync(join(root, 'docs/guides/cron.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, name = '', version = '', march = '', october = ''] =
      /^\| ([\w-]+) ([\d.]+)[^|]*\| (\S+) +\| (\S+) +\|$/.exec(line) ?? [];
    return name === '' ? [] : [{ name: name as Library, version, march, october }];
  });

test.each(rows)('the page tells what $name $version names where the clocks change', async (row) => {
  const manifest = join(root, 'node_modules', row.name, 'package.json');
  expect((JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version).toContain(`${row.version}.`);
  for (const [date, told] of [
    ['2026-03-29', row.march],
    ['2026-10-25', row.october],
  ] as const) {
    const named = timesOf((await night(date, '30 2 * * *'))[row.name]);
    expect(named.join() || 'none', date).toBe(told);
  }
});

test('the page tells of each library', () => {
  expect(rows.map(({ name }) => name)).toEqual(['node-cron', 'croner', 'cron', 'cron-parser']);
});

test.each([
  ['0 4 * * *', timeZone, ['2026-03-29', '2026-10-25']],
  ['30 2 * * *', 'UTC', ['2026-03-29', '2026-10-25']],
  ['0 * * * *', 'UTC', ['2026-10-25']],
])('all libraries name the same times for %s in %s', async (expression, zone, dates) => {
  for (const date of dates) {
    const { croner, ...others } = await night(date, expression, zone);
    expect(croner.length).toBeGreaterThan(0);
    for (const times of Object.values(others)) expect(times).toEqual(croner);
  }
});

test('in October node-cron leaves a round of each hour out, and cron fires one of 03:00 twice', async () => {
  const hourly = await night('2026-10-25', '0 * * * *');
  expect(timesOf(hourly.croner).filter((time) => !timesOf(hourly['node-cron']).includes(time))).toEqual(['00:00']);
  const { cron, ...others } = await night('2026-10-25', '0 3 * * *');
  for (const times of Object.values(others)) expect(timesOf(times)).toEqual(['02:00']);
  expect(cron.map(({ at, slot }) => [new Date(at).toISOString(), slot.toISOString()])).toEqual([
    // The round of the day before, which has run.
    ['2026-10-25T01:00:00.000Z', '2026-10-24T01:00:00.000Z'],
    ['2026-10-25T02:00:00.000Z', '2026-10-25T02:00:00.000Z'],
  ]);
});

test.each([
  ['each second', '* * * * * *', '2026-05-01T10:00:07.000Z', 450],
  ['daily', '0 4 * * *', '2026-05-01T02:00:00.000Z', 20 * hour],
  ['weekly', '0 4 * * MON', '2026-03-30T02:00:00.000Z', 150 * hour],
  ['monthly', '0 4 1 * *', '2026-11-01T03:00:00.000Z', 700 * hour],
])('calls of one round name one time, early or late: %s', async (_, expression, slot, latest) => {
  for (const offset of [-499, -3, 0, 2, latest]) {
    const named = fireTime(expression, timeZone, Date.parse(slot) + offset);
    expect(named.toISOString(), `${offset} ms`).toBe(slot);
  }
});

test('a job that croner has started, or that is started by hand, has the time of the call', async () => {
  vi.setSystemTime('2026-05-01T02:00:01.123Z');
  const croner = new Cron('0 4 * * *', { timezone: timeZone, paused: true }, () => {});
  await croner.trigger();
  // Cut to the second, so that it looks like a time of the schedule.
  expect(croner.currentRun()).toEqual(new Date('2026-05-01T02:00:01.000Z'));
  croner.stop();
  const locks = createLocks(createMemoryProvider(), { closeProvider: true });
  const task = schedule('0 4 * * *', ({ date }) => locks.once('report', date, () => 0), { timezone: timeZone });
  await expect(task.execute()).rejects.toThrow('has milliseconds, so it seems to be the time of the call');
  await task.destroy();
  await locks.close();
});

test('a round for which no replica was up is made up at the next start, once', async () => {
  vi.useRealTimers();
  const locks = createLocks(createMemoryProvider(), { closeProvider: true });
  const start = async () => (await locks.once('report', fireTime('0 4 * * MON', timeZone), () => 0)).state;
  expect([await start(), await start()]).toEqual(['ran', 'done']);
  await locks.close();
});
