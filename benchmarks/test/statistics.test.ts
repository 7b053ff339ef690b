import { expect, test } from 'vitest';
import { createRandom } from '@locks/core/testing';
import { shuffle } from '../src/measure/random.ts';
import { fairness, median, percentile, ratioFigures } from '../src/measure/statistics.ts';

test('the median is the middle value, or the mean of the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 3])).toBe(4);
  expect(median([])).toBeUndefined();
});

test('a percentile orders by value, not by text', () => {
  const values = [10, 9, 100, 1, 2];
  expect(percentile(values, 0.5)).toBe(9);
  expect(percentile(values, 0.99)).toBe(100);
  expect(percentile([], 0.5)).toBeUndefined();
});

test('ratios are taken within each round, so that a slow round changes nothing', () => {
  const base = [100, 10, 100];
  expect(ratioFigures('ratioToRaw', [50, 5, 80], base)).toEqual({
    ratioToRaw: 0.5,
    ratioToRawLow: 0.5,
    ratioToRawHigh: 0.8,
  });
  expect(ratioFigures('ratioToRaw', [50], [])).toEqual({});
});

test('the fairness index is 1 when all have the same, and 1/n when one has everything', () => {
  expect(fairness([3, 3, 3, 3])).toBe(1);
  expect(fairness([8, 0, 0, 0])).toBe(0.25);
  expect(fairness([0, 0])).toBeUndefined();
});

test('a seed gives the same order again, another one another', () => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  const order = (seed: number): number[] => shuffle(items, createRandom(seed));
  expect(order(7)).toEqual(order(7));
  expect(order(7)).not.toEqual(order(8));
  expect(order(7).toSorted((a, b) => a - b)).toEqual(items);
});
