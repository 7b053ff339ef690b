import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { TimerWheel } from '../../src/time/timer-wheel.ts';
import type { TimerEntry } from '../../src/time/timer-wheel.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

function createSetting(keepAlive = false) {
  const runtime = new VirtualRuntime();
  const timers = new TimerWheel(runtime, keepAlive);
  const start = runtime.time;
  const log: [name: string, at: number][] = [];
  return {
    runtime,
    timers,
    start,
    log,
    entry(name: string, due: () => void = () => {}): TimerEntry {
      return {
        timerPrevious: undefined,
        timerNext: undefined,
        due(now) {
          log.push([name, now - start]);
          due();
        },
      };
    },
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of the heap that are in use. */
function used(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('the timer wheel', () => {
  it('forgets far times at which nothing is due any more', () => {
    const { timers, start, entry } = createSetting();
    const [near, far] = [entry('near'), entry('far')];
    timers.schedule(near, start + 10);
    const before = used();
    for (let index = 0; index < 200_000; index += 1) timers.schedule(far, start + 3_600_000 + index);
    expect(used() - before).toBeLessThan(1_000_000);
    expect(timers.size).toBe(2);
  });

  it('keeps the order of those that are left when it forgets the times of those that went', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    const left: number[] = [];
    const gone: TimerEntry[] = [];
    for (let index = 0; index < 2_000; index += 1) {
      const at = 1 + ((index * 7_919) % 10_007);
      const made = entry(`${index}`);
      timers.schedule(made, start + at);
      if (index % 10 === 0) left.push(at);
      else gone.push(made);
    }
    for (const made of gone) timers.cancel(made);
    // One of those times again, and a new one.
    timers.schedule(gone[0] as TimerEntry, start + 1 + 7_919);
    timers.schedule(gone[1] as TimerEntry, start + 20_000);
    left.push(1 + 7_919, 20_000);
    expect(timers.size).toBe(left.length);
    await runtime.advance(30_000);
    expect(log.map(([, at]) => at)).toEqual(left.toSorted((one, other) => one - other));
    expect(timers.size).toBe(0);
  });

  it('keeps order among a thousand entries that come, move and go at random', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    const expected = new Map<string, number>();
    const entries = Array.from({ length: 300 }, (_, index) => entry(`${index}`));
    for (let step = 0; step < 1_000; step += 1) {
      const index = Math.floor(runtime.random() * entries.length);
      const chosen = entries[index] as TimerEntry;
      if (runtime.random() < 0.2) {
        if (step % 2 === 0) timers.cancel(chosen);
        else timers.schedule(chosen, Infinity);
        expected.delete(`${index}`);
      } else {
        const at = 1 + Math.floor(runtime.random() * 500);
        timers.schedule(chosen, start + at);
        expected.set(`${index}`, at);
      }
      expect(timers.size).toBe(expected.size);
    }
    await runtime.advance(600);
    expect(new Map(log)).toEqual(expected);
    expect(log).toHaveLength(expected.size);
    expect(log.map(([, at]) => at)).toEqual([...expected.values()].toSorted((left, right) => left - right));
  });

  it('calls entries of the same millisecond in the order in which they came, with one timer', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    for (const name of ['a', 'b', 'c']) timers.schedule(entry(name), start + 9.5);
    expect(runtime.pendingTimers).toBe(1);
    await runtime.advance(10);
    expect(log).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 10],
    ]);
  });

  it('never calls an entry before its time, not even by a part of a millisecond', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    runtime.block(0.75);
    timers.schedule(entry('a'), start + 10.25);
    await runtime.advance(9.5);
    expect(log).toEqual([]);
    await runtime.advance(2);
    expect(log).toHaveLength(1);
    expect(log[0]?.[1]).toBeGreaterThanOrEqual(10.25);
    expect(log[0]?.[1]).toBeLessThan(12);
  });

  it('lets an entry take out, move and put in others while it is due', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    const [removed, later, added] = ['removed', 'later', 'added'].map((name) => entry(name)) as [
      TimerEntry,
      TimerEntry,
      TimerEntry,
    ];
    const actor = entry('actor', () => {
      timers.cancel(removed);
      timers.schedule(later, start + 20);
      timers.schedule(added, start + 15);
    });
    for (const each of [actor, removed, later]) timers.schedule(each, start + 10);
    await runtime.advance(100);
    expect(log).toEqual([
      ['actor', 10],
      ['added', 15],
      ['later', 20],
    ]);
  });

  it('is not stopped by its own emptiness when others came in meanwhile', async () => {
    const { runtime, timers, start, log, entry } = createSetting(true);
    const last = entry('last');
    timers.schedule(
      entry('only', () => timers.schedule(last, start + 20)),
      start + 10,
    );
    await runtime.advance(20);
    expect(log.map(([name]) => name)).toEqual(['only', 'last']);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('calls an entry soon that is put in for a time that is over', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    timers.schedule(entry('first'), start + 10);
    await runtime.advance(20);
    const late = entry('late');
    timers.schedule(late, start + 10);
    await runtime.advance(1);
    timers.schedule(late, start + 10);
    await runtime.advance(1);
    expect(log.map(([name]) => name)).toEqual(['first', 'late', 'late']);
  });

  it('forgets everything when it is stopped, and can be used again', async () => {
    const { runtime, timers, start, log, entry } = createSetting();
    const [forgotten, again] = [entry('forgotten'), entry('again')];
    for (const each of [forgotten, again]) timers.schedule(each, start + 10);
    timers.stop();
    expect(runtime.pendingTimers).toBe(0);
    timers.schedule(again, start + 20);
    await runtime.advance(100);
    expect(log).toEqual([['again', 20]]);
  });
});
