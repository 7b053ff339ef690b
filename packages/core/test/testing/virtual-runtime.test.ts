import { describe, expect, it } from 'vitest';
import { createVirtualRuntime } from '../../src/testing/index.ts';
import type { VirtualRuntime } from '../../src/testing/index.ts';

/** Notes when timers fire, by the clock of `observer`. */
function createNotes(observer: VirtualRuntime) {
  const notes: string[] = [];
  const set = (runtime: VirtualRuntime, name: string, delay: number) =>
    runtime.setTimer(() => notes.push(`${name} at ${Math.round(observer.time - 1_000)}`), delay, true);
  return { notes, set };
}

describe('a virtual runtime', () => {
  it('fires timers in the order of their times, and what they set', async () => {
    const runtime = createVirtualRuntime();
    const { notes, set } = createNotes(runtime);
    set(runtime, 'late', 20);
    set(runtime, 'early', 10);
    runtime.setTimer(() => set(runtime, 'nested', 5), 12, false);
    await runtime.advance(16);
    expect(notes).toEqual(['early at 10']);
    await runtime.advance(4);
    expect(notes).toEqual(['early at 10', 'nested at 17', 'late at 20']);
  });

  it('lets promises settle before the next timer fires', async () => {
    const runtime = createVirtualRuntime();
    const notes: string[] = [];
    runtime.setTimer(
      () => {
        let chain = Promise.resolve();
        for (let link = 0; link < 100; link += 1) chain = chain.then(() => {});
        void chain.then(() => notes.push('settled'));
      },
      1,
      false,
    );
    runtime.setTimer(() => notes.push('next'), 2, false);
    await runtime.advance(2);
    expect(notes).toEqual(['settled', 'next']);
  });

  it('shares its time with others, each with timers of its own', async () => {
    const one = createVirtualRuntime();
    const two = createVirtualRuntime({ with: one, rate: 2 });
    const { notes, set } = createNotes(one);
    set(one, 'one', 10);
    set(two, 'two', 10);
    expect([one.keepAliveTimers, two.pendingTimers]).toEqual([1, 1]);
    await one.advance(10);
    expect(notes).toEqual(['two at 5', 'one at 10']);
    expect(two.time - 2_000).toBe(20);
    expect(one.uniqueId()).not.toBe(two.uniqueId());
  });

  it('is late while its event loop is blocked, in the right order; others are not', async () => {
    const one = createVirtualRuntime();
    const two = createVirtualRuntime({ with: one });
    const { notes, set } = createNotes(one);
    for (const delay of [20, 10]) set(one, `one ${delay}`, delay);
    set(two, 'two', 10);
    one.stall(50);
    await one.advance(49);
    expect(notes).toEqual(['two at 10']);
    await one.advance(1);
    expect(notes).toEqual(['two at 10', 'one 10 at 50', 'one 20 at 50']);
  });

  it('stands still while its machine sleeps, and its clock notices that afterwards', async () => {
    const one = createVirtualRuntime();
    const two = createVirtualRuntime({ with: one });
    const { notes, set } = createNotes(two);
    set(one, 'one', 10);
    const before = { time: one.time, exact: one.clock.exact() };
    one.sleep(5_000);
    await two.advance(5_009);
    expect(notes).toEqual([]);
    await two.advance(1);
    expect(notes).toEqual(['one at 5010']);
    expect(one.time - before.time).toBe(10);
    expect(one.clock.exact() - before.exact).toBe(5_010);
  });

  it('does nothing any more after a crash', async () => {
    const one = createVirtualRuntime();
    const two = createVirtualRuntime({ with: one });
    const { notes, set } = createNotes(one);
    set(one, 'one', 10);
    set(two, 'two', 10);
    one.crash();
    set(one, 'posthumous', 1);
    await one.advance(100);
    expect(notes).toEqual(['two at 10']);
  });

  it('has the randomness of its seed, or the one it was told', () => {
    const numbers = (seed: number) => {
      const runtime = createVirtualRuntime({ seed });
      return Array.from({ length: 20 }, () => runtime.random());
    };
    expect(numbers(1)).toEqual(numbers(1));
    expect(numbers(1)).not.toEqual(numbers(2));
    expect(numbers(3).every((number) => number >= 0 && number < 1)).toBe(true);
    expect(createVirtualRuntime({ random: 0.5 }).random()).toBe(0.5);
  });
});
