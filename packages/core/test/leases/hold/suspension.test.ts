import { describe, expect, it } from 'vitest';
import { createClock } from '../../../src/time/clock.ts';
import { createSetting, watch, well } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

/** A clock with its three sources in the test's hands. */
function makeClock({ boot = true } = {}) {
  const now = { monotonic: 100, boot: 7_000, wall: 1_000_000 };
  let looks = 0;
  const clock = createClock({
    monotonic: () => now.monotonic,
    sinceBoot() {
      looks += 1;
      return boot ? now.boot : undefined;
    },
    wall: () => now.wall,
    origin: 900_000,
  });
  return {
    clock,
    now,
    looks: () => looks,
    pass(ms: number) {
      now.monotonic += ms;
      now.boot += ms;
      now.wall += ms;
    },
    sleep(ms: number) {
      now.boot += ms;
      now.wall += ms;
    },
  };
}

type TestClock = ReturnType<typeof makeClock>;

/** What the clock says after each of these sleeps. */
const after =
  (...sleeps: readonly number[]) =>
  ({ clock, sleep }: TestClock): readonly number[] =>
    sleeps.map((ms) => {
      sleep(ms);
      return clock.exact();
    });

/** What it reports this many ms after a sleep of 30 s in which the wall clock was set back. */
function stepped(back: number, later = 1_001) {
  return ({ clock, now, sleep, pass }: TestClock): readonly number[] => {
    sleep(30_000);
    now.wall -= back;
    pass(later);
    return [clock.exact()];
  };
}

describe('the clock', () => {
  it.each<[string, boolean, (given: TestClock) => unknown, number[]]>([
    ['adds up short suspensions', true, after(1_500, 1_500, 1_500, 1_500), [100, 3_100, 3_100, 6_100]],
    ['counts each of several suspensions once', true, after(10_000, 0, 20_000), [10_100, 10_100, 30_100]],
    ['notices one within a second, where the wall clock was set back by as much', true, stepped(30_000), [31_101]],
    ['notices one at once, where the wall clock was set back by more', true, stepped(60_000, 0), [30_100]],
    ['goes on where the time since boot is not known', false, after(60_000), [100]],
  ])('%s', (_, boot, act, expected) => {
    expect(act(makeClock({ boot }))).toEqual(expected);
  });

  it('reads the time since boot once a second at most while nothing happens', () => {
    const { clock, pass, looks } = makeClock();
    const before = looks();
    for (let ms = 0; ms < 10_000; ms += 1) {
      clock.exact();
      clock.now();
      pass(1);
    }
    expect(looks() - before).toBeGreaterThanOrEqual(9);
    expect(looks() - before).toBeLessThanOrEqual(10);
  });

  it('reads the time since boot once after a step of the wall clock, not at every look from then on', () => {
    const { clock, now, looks } = makeClock();
    const before = looks();
    now.wall += 3_600_000;
    for (let look = 0; look < 100; look += 1) clock.exact();
    expect(looks() - before).toBe(1);
  });
});

describe('a lease over a suspension', () => {
  it('is not held after it, and says so at the first look', async () => {
    const { runtime, take } = createSetting({ answers: { ...well } });
    const lease = await take('key');
    runtime.suspend(30_000);
    expect(lease.held).toBe(false);
    expect(lease.remaining).toBe(0);
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('tells of its loss within a second, without a look at it', async () => {
    const { runtime, take } = createSetting({ answers: { ...well } });
    const lease = await take('key');
    let told = false;
    lease.signal.addEventListener('abort', () => (told = true));
    runtime.suspend(30_000);
    await runtime.advance(1_000);
    expect(told).toBe(true);
  });

  it('is not renewed after it', async () => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    await take('key');
    runtime.suspend(30_000);
    await runtime.advance(30_000);
    expect(provider.renewals).toHaveLength(0);
    expect(provider.releases).toHaveLength(1);
  });

  it('has less remaining when it was shorter than the validity', async () => {
    const { runtime, take } = createSetting();
    const lease = await take('key');
    runtime.suspend(12_000);
    expect(lease.remaining).toBe(29_698 - 12_000);
    expect(lease.held).toBe(true);
  });

  it('is held as before when the machine slept for less than 2 s', async () => {
    const { runtime, take } = createSetting();
    const lease = await take('key');
    runtime.suspend(1_999);
    expect(lease.remaining).toBe(29_698);
  });

  it('is neither lost nor prolonged by a step of the wall clock', async () => {
    const { runtime, take } = createSetting();
    const lease = await take('key');
    runtime.stepWallClock(3_600_000);
    expect(lease.remaining).toBe(29_698);
    runtime.stepWallClock(-7_200_000);
    expect(lease.remaining).toBe(29_698);
  });

  it('counts maxHold from the grant when the sleep is noticed only then', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { ...well } });
    const acquired = watch(locks.acquire('key', { ttl: 60_000, maxHold: 5_000 }));
    runtime.suspend(10_000);
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.value?.remaining).toBe(5_000);
  });
});

describe('the first attempt after an unnoticed sleep', () => {
  it('is not taken for late', async () => {
    const { runtime, provider, locks } = createSetting();
    runtime.suspend(3_600_000);
    const tried = watch(locks.tryAcquire('key'));
    provider.open('tryAcquire').grant();
    await settle();
    expect(tried.value?.remaining).toBe(29_698);
    expect(provider.releases).toHaveLength(0);
  });

  it('is not taken for late either when it repeats an earlier one', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key'));
    const first = provider.open('tryAcquire');
    first.busy(10_000);
    await settle();
    runtime.suspend(3_600_000);
    first.wake?.();
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.value?.remaining).toBe(29_698);
    expect(provider.releases).toHaveLength(0);
  });

  it('waits for as long as it was told to', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    runtime.suspend(3_600_000);
    const acquired = watch(locks.acquire('key', { wait: 5_000 }));
    provider.open('tryAcquire').busy(1_000);
    await runtime.advance(1_000);
    expect(acquired.state).toBe('open');
    expect(provider.attempts).toHaveLength(2);
  });
});
