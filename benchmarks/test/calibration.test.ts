import { expect, test } from 'vitest';
import { calibrate, calibrateCalm, describeCalibration, isBusy } from '../src/measure/calibration.ts';

const calm = { idle: 0.97, roundTrip: 0.03 };
const busy = { idle: 0.4, roundTrip: 0.03 };

test('a look gives the idle share of the processors and a round trip', async () => {
  const { idle, roundTrip } = await calibrate();
  expect(idle).toBeGreaterThanOrEqual(0);
  expect(idle).toBeLessThanOrEqual(1);
  expect(roundTrip).toBeGreaterThan(0);
});

test('a process that computes is seen', async () => {
  const end = performance.now() + 3_000;
  let looked = false;
  const look = calibrate().finally(() => (looked = true));
  // Two thirds of the time of one processor.
  while (!looked && performance.now() < end) {
    for (const until = performance.now() + 20; performance.now() < until;);
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
  expect((await look).idle).toBeLessThan(0.9);
});

test('a table that was taken on a busy machine says so', () => {
  expect(describeCalibration(calm)).toBe('Machine: 97 % idle before it, a loopback round trip 0.030 ms');
  expect(isBusy(busy)).toBe(true);
  expect(describeCalibration(busy)).toMatch(/^BUSY machine: 40 % idle.*Trust counts alone/);
});

test('--calm waits until the machine is calm, and refuses one that is not', async () => {
  const looks = [busy, busy, calm];
  await expect(calibrateCalm(async () => looks.shift() ?? busy)).resolves.toBe(calm);
  await expect(calibrateCalm(async () => busy, 20)).rejects.toThrow(
    'Option --calm: the machine was busy for 0.02 s (40 % idle).',
  );
});
