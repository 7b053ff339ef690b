import { createRandom } from '@locks/core/testing';
import { expect, test } from 'vitest';
import { mustKeepCounter } from '../../../src/locks/call-terms.ts';

/** The least that the counter's retention has left, and the part of the renewals that keep it. */
function leastLeft(ttl: number, retention: number, random: () => number): { left: number; kept: number } {
  let now = random() * retention;
  let end = now + retention;
  let left = retention;
  let kept = 0;
  const renewals = 50_000;
  for (let count = 0; count < renewals; count += 1) {
    now += ttl * (0.1 + 0.9 * random());
    left = Math.min(left, end - now);
    if (!mustKeepCounter(now, ttl, retention)) continue;
    kept += 1;
    end = now + retention;
  }
  return { left, kept: kept / renewals };
}

test.each([
  [1_000, 3_600_000],
  [30_000, 3_600_000],
  [200_000, 3_600_000],
  [300_000, 3_600_000],
  [30_000, 60_000],
  [60_000, 960_001],
])('leases of %i ms never lose a counter of %i ms', (ttl, retention) => {
  const { left } = leastLeft(ttl, retention, createRandom(7));
  expect(left).toBeGreaterThanOrEqual(Math.max(ttl, (retention * 7) / 8 - 2 * ttl));
});

test('few renewals restart the retention of a counter', () => {
  const { kept } = leastLeft(30_000, 3_600_000, createRandom(7));
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(0.15);
});
