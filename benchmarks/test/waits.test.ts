import { expect, test } from 'vitest';
import { studyWaits } from '../src/crew/waits.ts';

function claim(worker: number, calledAt: number, grantedAt: number) {
  return { worker, calledAt, placedAt: calledAt, grantedAt, releasedAt: grantedAt + 1 };
}

test('shares count until the first worker has had its turns', () => {
  // Worker 0 takes both turns first, then worker 1: equal in the end, and not fair.
  const claims = [claim(0, 0, 1), claim(0, 2, 3), claim(1, 0, 5), claim(1, 6, 7)];
  expect(studyWaits(claims, 2, 2, 10).fairness).toBe(0.5);
  const fair = [claim(0, 0, 1), claim(1, 0, 3), claim(0, 2, 5), claim(1, 4, 7)];
  expect(studyWaits(fair, 2, 2, 10).fairness).toBeCloseTo(0.9);
});

test('a claim that still waits at the end counts with its wait so far', () => {
  const { meanWait, longestWait } = studyWaits([claim(0, 0, 2), claim(1, 0, Infinity)], 2, 1, 10);
  expect({ meanWait, longestWait }).toEqual({ meanWait: 6, longestWait: 10 });
});
