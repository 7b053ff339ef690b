import { createVirtualRuntime } from '@locks/core/testing';
import { describe, expect, test } from 'vitest';
import { Sweeper } from '../src/sweeper.ts';

describe('the sweeper', () => {
  test('sweeps a quarter to a half of the retention after the first claim, until nothing is left, and again', async () => {
    const runtime = createVirtualRuntime({ random: 0.5 });
    const found = [500, 500, 3, 0];
    const limits: number[] = [];
    const sweeper = new Sweeper(runtime, 4_000, async (limit) => {
      limits.push(limit);
      return found.shift() ?? 0;
    });
    await runtime.advance(10_000);
    expect(limits).toEqual([]);
    sweeper.start();
    sweeper.start();
    await runtime.advance(1_499);
    expect(limits).toEqual([]);
    await runtime.advance(1);
    expect(limits).toEqual([500, 500, 500]);
    expect([runtime.pendingTimers, runtime.keepAliveTimers]).toEqual([1, 0]);
    await runtime.advance(1_500);
    expect(limits).toHaveLength(4);
  });

  test('goes on after a sweep that failed, and ends when it is stopped', async () => {
    const runtime = createVirtualRuntime({ random: 0 });
    let sweeps = 0;
    const sweeper = new Sweeper(runtime, 4_000, async () => {
      sweeps += 1;
      throw new Error('no connection');
    });
    sweeper.start();
    await runtime.advance(2_000);
    expect(sweeps).toBe(2);
    sweeper.stop();
    sweeper.start();
    await runtime.advance(10_000);
    expect([sweeps, runtime.pendingTimers]).toEqual([2, 0]);
  });
});
