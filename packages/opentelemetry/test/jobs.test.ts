import { setTimeout as sleep } from 'node:timers/promises';
import type { Histogram } from '@opentelemetry/sdk-metrics';
import { expect, it } from 'vitest';
import { createSetting, twoProcesses } from './support/telemetry.ts';
import type { Point } from './support/telemetry.ts';

const about = { 'locks.provider': 'memory', 'locks.group': 'once/report' };
const ofJob = { ...about, 'locks.key': 'report:eu' };

/** The time that a schedule of each second names, in seconds since 1970. */
function slotNow(): { readonly slot: Date; readonly unix: number } {
  const unix = Math.floor(Date.now() / 1_000);
  return { slot: new Date(unix * 1_000), unix };
}

/** The points of a metric, all of one group, by the value of one attribute. */
function by(points: readonly Point[] | undefined, name: string): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const { attributes, value } of points ?? []) {
    const { [name]: word, ...others } = attributes;
    expect(others).toEqual(about);
    values[String(word)] = value;
  }
  return values;
}

it('count runs by their end and other calls by their reason, from zero', async () => {
  const { collect } = createSetting();
  const { one, two } = twoProcesses();
  const { slot } = slotNow();
  const running = one.once('report:eu', slot, () => sleep(50));
  await expect.poll(async () => (await two.job('report:eu'))?.state).toBe('running');
  await two.once('report:eu', slot, () => {});
  await running;
  await two.once('report:eu', slot, () => {});
  await two.once('report:eu', new Date(slot.getTime() - 1_000), () => {});
  const failing = two.once('report:us', slot, () => Promise.reject(new Error('no paper')));
  await expect(failing).rejects.toThrow('no paper');
  await one.once('report:us', slot, () => {});
  const metrics = await collect();
  expect(by(metrics.get('locks.job.runs'), 'locks.job.result')).toEqual({ done: 1, failed: 1, stopped: 0, lost: 0 });
  const skipped = { done: 1, running: 1, failed: 1, passed: 1 };
  expect(by(metrics.get('locks.job.skipped'), 'locks.job.reason')).toEqual(skipped);
  const took = by(metrics.get('locks.job.duration'), 'locks.job.result') as Readonly<Record<string, Histogram>>;
  expect(Object.entries(took).map(([result, { count }]) => [result, count])).toEqual([
    ['done', 1],
    ['failed', 1],
  ]);
  expect(took['done']?.sum).toBeGreaterThan(0.045);
  expect(took['done']?.sum).toBeLessThan(20);
});

it('tell the last success, the failures in a row and when each job is next due', async () => {
  const { collect } = createSetting();
  const { one, two } = twoProcesses();
  const { slot, unix } = slotNow();
  const earlier = new Date((unix - 60) * 1_000);
  const points = async (name: string): Promise<readonly Point[]> => (await collect()).get(`locks.job.${name}`) ?? [];
  await one.once('report:eu', earlier, { next: '1m' }, () => {});
  expect(await points('last_success.timestamp')).toEqual([{ attributes: ofJob, value: unix - 60 }]);
  expect(await points('next.timestamp')).toEqual([{ attributes: ofJob, value: unix }]);
  expect(await points('failures')).toEqual([{ attributes: ofJob, value: 0 }]);
  const failing = two.once('report:eu', slot, { next: '1m' }, () => {
    throw new Error('no paper');
  });
  await expect(failing).rejects.toThrow('no paper');
  expect(await points('last_success.timestamp')).toEqual([{ attributes: ofJob, value: unix - 60 }]);
  expect(await points('next.timestamp')).toEqual([{ attributes: ofJob, value: unix + 60 }]);
  expect(await points('failures')).toEqual([{ attributes: ofJob, value: 1 }]);
});

it('do not tell failures from before a run elsewhere', async () => {
  const { collect } = createSetting();
  const { one, two } = twoProcesses();
  const { slot } = slotNow();
  let end = (): void => {};
  const running = one.once('report:eu', slot, () => new Promise<void>((resolve) => (end = resolve)));
  await expect.poll(async () => (await two.job('report:eu'))?.state).toBe('running');
  await two.once('report:eu', slot, () => {});
  expect((await collect()).get('locks.job.failures') ?? []).toEqual([]);
  end();
  await running;
  expect((await collect()).get('locks.job.failures')).toEqual([{ attributes: ofJob, value: 0 }]);
});

it('have no gauges for what runs once for all time, and for more jobs than groups', async () => {
  const { collect } = createSetting({ maxGroups: 1 });
  const { one } = twoProcesses();
  const { slot } = slotNow();
  await one.once('seed', 'ever', () => {});
  await one.once('report', slot, () => {});
  await one.once('mails', slot, () => {});
  const metrics = await collect();
  const keys = metrics.get('locks.job.failures')?.map(({ attributes }) => attributes['locks.key']);
  expect(keys).toEqual(['report']);
  const runs = metrics.get('locks.job.runs')?.filter(({ value }) => value !== 0);
  expect(runs?.map(({ attributes }) => attributes['locks.group'])).toEqual(['once/seed', '_other']);
});
