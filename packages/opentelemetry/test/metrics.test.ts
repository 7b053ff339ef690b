import { setTimeout as sleep } from 'node:timers/promises';
import type { Histogram } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { createSetting, twoProcesses } from './support/telemetry.ts';
import type { Point } from './support/telemetry.ts';

const about = { 'locks.provider': 'memory', 'locks.group': 'seat', 'locks.mode': 'exclusive' };

/** Count and sum of each histogram of a metric, by the value of one of its attributes. */
function histograms(points: readonly Point[] | undefined, attribute: string): Record<string, [number, number]> {
  return Object.fromEntries(
    (points ?? []).map(({ attributes, value }) => {
      const { count, sum = 0 } = value as Histogram;
      return [String(attributes[attribute]), [count, sum]];
    }),
  );
}

/** The numbers of a metric that are not 0, by the value of one of its attributes. */
function numbers(points: readonly Point[] | undefined, attribute: string): Record<string, number> {
  const all = (points ?? []).map(({ attributes, value }) => [String(attributes[attribute]), value as number] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== 0));
}

describe('metrics', () => {
  it('have the durations of calls by their result, and of holds', async () => {
    const { collect } = createSetting();
    const { one, two } = twoProcesses();
    const lease = await one.acquire('seat:1');
    await two.tryAcquire('seat:1');
    await expect(two.acquire('seat:1', { wait: 200 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    const waiting = two.acquire('seat:1');
    await sleep(30);
    await lease.release();
    await (await waiting).release();
    const metrics = await collect();
    const acquired = histograms(metrics.get('locks.acquire.duration'), 'locks.acquire.result');
    expect(acquired).toEqual({
      acquired: [2, expect.any(Number)],
      busy: [1, expect.any(Number)],
      timeout: [1, expect.any(Number)],
    });
    expect(acquired['timeout']?.[1]).toBeGreaterThan(0.19);
    expect(acquired['timeout']?.[1]).toBeLessThan(20);
    const timeout = metrics
      .get('locks.acquire.duration')
      ?.find(({ attributes }) => attributes['locks.acquire.result'] === 'timeout');
    expect(timeout?.attributes).toEqual({ ...about, 'locks.acquire.result': 'timeout', 'error.type': 'LOCK_TIMEOUT' });
    const held = histograms(metrics.get('locks.hold.duration'), 'locks.hold.result');
    expect(held).toEqual({ released: [2, expect.any(Number)] });
    expect(held['released']?.[1]).toBeGreaterThan(0.05);
  });

  it('count what is held and what waits at this moment, and the age of the oldest hold', async () => {
    const { collect } = createSetting();
    const { one, two } = twoProcesses();
    const first = await one.acquire('seat:1');
    await sleep(30);
    const second = await one.acquire('seat:2');
    const waiting = two.acquire('seat:1');
    await sleep(5);
    let metrics = await collect();
    expect(numbers(metrics.get('locks.held'), 'locks.group')).toEqual({ seat: 2 });
    expect(numbers(metrics.get('locks.waiting'), 'locks.group')).toEqual({ seat: 1 });
    expect(numbers(metrics.get('locks.hold.oldest'), 'locks.group')['seat']).toBeGreaterThan(0.03);
    await first.release();
    await (await waiting).release();
    await second.transfer();
    metrics = await collect();
    for (const name of ['locks.held', 'locks.waiting', 'locks.hold.oldest']) {
      expect(metrics.get(name)).toEqual([{ attributes: about, value: 0 }]);
    }
    expect(Object.keys(histograms(metrics.get('locks.hold.duration'), 'locks.hold.result'))).toEqual([
      'released',
      'transferred',
    ]);
  });

  it('count a loss once, by its code, and the margin of renewals as a share of the ttl', async () => {
    const { collect } = createSetting();
    const { one, two } = twoProcesses();
    const lease = await one.acquire('seat:1', { ttl: '40s' });
    await lease.renew();
    const [holder] = (await two.inspect('seat:1')).holders;
    if (holder !== undefined) await two.forceRelease(holder);
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await lease.release();
    const short = await one.acquire('seat:2', { maxHold: 50 });
    await sleep(60);
    expect(short.held).toBe(false);
    const metrics = await collect();
    expect(numbers(metrics.get('locks.lost'), 'locks.loss.code')).toEqual({ 'not-held': 1, 'max-hold': 1 });
    expect(numbers(metrics.get('locks.held'), 'locks.group')).toEqual({});
    expect(histograms(metrics.get('locks.hold.duration'), 'locks.hold.result')).toMatchObject({
      lost: [2, expect.any(Number)],
    });
    const renewed = histograms(metrics.get('locks.renewal.duration'), 'locks.renewal.result');
    expect(renewed).toMatchObject({ renewed: [1, expect.any(Number)], refused: [1, expect.any(Number)] });
    const margin = (metrics.get('locks.renewal.margin')?.[0]?.value as Histogram | undefined)?.sum ?? 0;
    expect(margin).toBeGreaterThan(1.8);
    expect(margin).toBeLessThan(2);
  });

  it('count slow waits by how they were noticed', async () => {
    const { collect } = createSetting();
    const { one, two } = twoProcesses({ slowWait: 20 });
    const lease = await one.acquire('seat');
    const waiting = two.acquire('seat');
    await sleep(80);
    await lease.release();
    await (await waiting).release();
    expect(numbers((await collect()).get('locks.slow_waits'), 'locks.slow.reason')).toEqual({ threshold: 1 });
  });

  it('begin at zero for the groups that are named', async () => {
    const { collect } = createSetting({ groups: [{ provider: 'redis', group: 'report' }] });
    const metrics = await collect();
    const named = { 'locks.provider': 'redis', 'locks.group': 'report', 'locks.mode': 'exclusive' };
    expect(metrics.get('locks.held')).toEqual([{ attributes: named, value: 0 }]);
    expect(metrics.get('locks.lost')).toHaveLength(6);
    expect(numbers(metrics.get('locks.lost'), 'locks.loss.code')).toEqual({});
  });

  it('do not see what began before them', async () => {
    const { one, two } = twoProcesses();
    const lease = await one.acquire('seat');
    const waiting = two.acquire('seat');
    const { collect } = createSetting();
    await lease.release();
    const next = await waiting;
    expect(numbers((await collect()).get('locks.held'), 'locks.group')).toEqual({ seat: 1 });
    await next.release();
    const metrics = await collect();
    expect(metrics.get('locks.held')).toEqual([{ attributes: about, value: 0 }]);
    expect(metrics.get('locks.acquire.duration') ?? []).toEqual([]);
  });

  it('have at most so many groups, and one for the others', async () => {
    const { collect } = createSetting({ groupOf: (key) => key, maxGroups: 2 });
    const { one } = twoProcesses();
    for (const key of ['a', 'b', 'c', 'd', 'a']) await one.withLock(key, () => {});
    const acquired = histograms((await collect()).get('locks.acquire.duration'), 'locks.group');
    expect(Object.entries(acquired).map(([group, [count]]) => [group, count])).toEqual([
      ['a', 2],
      ['b', 1],
      ['_other', 2],
    ]);
  });
});

describe('the length of queues', () => {
  it('is asked of the store for the keys that are named', async () => {
    const { one, two } = twoProcesses();
    const { collect } = createSetting({ queueLength: { locks: one, keys: ['seat:1', 'seat:2'] } });
    const lease = await one.acquire('seat:1');
    const waiting = [two.acquire('seat:1'), two.acquire('seat:1')];
    await expect.poll(async () => (await one.inspect('seat:1')).waiters).toBe(2);
    const lengths = (await collect()).get('locks.queue.length');
    expect(lengths).toEqual([
      { attributes: { 'locks.provider': 'memory', 'locks.key': 'seat:1' }, value: 2 },
      { attributes: { 'locks.provider': 'memory', 'locks.key': 'seat:2' }, value: 0 },
    ]);
    await lease.release();
    for (const next of waiting) await (await next).release();
  });

  it('is left out where the store is silent or fails, and a silent key is asked once', async () => {
    const asked: string[] = [];
    const inspect = (key: string): Promise<never> => {
      asked.push(key);
      return key === 'silent' ? new Promise(() => {}) : Promise.reject(new Error('no answer'));
    };
    const locks = { name: 'redis', inspect };
    const { collect } = createSetting({ queueLength: { locks, keys: ['silent', 'fails'], timeout: '20ms' } });
    for (const _ of [1, 2]) expect((await collect()).get('locks.queue.length') ?? []).toEqual([]);
    expect(asked).toEqual(['silent', 'fails', 'fails']);
  });
});
