import { createVirtualRuntime } from '@locks/core/testing';
import { describe, expect, test } from 'vitest';
import { Sweeper } from '../src/sweep/sweeper.ts';

describe('the sweeper', () => {
  test('sweeps a quarter to a half of the retention after the first claim, until nothing is left, and again', async () => {
    const runtime = createVirtualRuntime({ random: 0.5 });
    const ends = ['b', 'c', undefined];
    const steps: string[] = [];
    const sweeper = new Sweeper(runtime, 4_000, async (after) => {
      steps.push(after);
      return { next: ends.shift() };
    });
    await runtime.advance(10_000);
    expect(steps).toEqual([]);
    sweeper.start();
    sweeper.start();
    await runtime.advance(1_499);
    expect(steps).toEqual([]);
    await runtime.advance(1);
    expect(steps).toEqual(['', 'b', 'c']);
    expect([runtime.pendingTimers, runtime.keepAliveTimers]).toEqual([1, 0]);
    await runtime.advance(1_500);
    expect(steps.slice(3)).toEqual(['']);
  });

  test('goes on after a sweep that failed, and ends when it is stopped', async () => {
    const runtime = createVirtualRuntime({ random: 0 });
    let sweeps = 0;
    const steps: string[] = [];
    const sweeper = new Sweeper(runtime, 4_000, async (after) => {
      steps.push(after);
      if (after === '') return { next: 'b' };
      sweeps += 1;
      throw new Error('no connection');
    });
    sweeper.start();
    await runtime.advance(2_000);
    expect(sweeps).toBe(2);
    // It goes on where it failed.
    expect(steps).toEqual(['', 'b', 'b']);
    sweeper.stop();
    sweeper.start();
    await runtime.advance(10_000);
    expect([sweeps, runtime.pendingTimers]).toEqual([2, 0]);
  });
});
