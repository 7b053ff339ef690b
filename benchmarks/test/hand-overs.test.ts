import { expect, test } from 'vitest';
import type { Claim } from '../src/crew/claims.ts';
import { packClaims, unpackClaims } from '../src/crew/claims.ts';
import { studyHandOvers } from '../src/crew/hand-overs.ts';

const all = { from: 0, to: 1_000 };

function claim(worker: number, calledAt: number, grantedAt: number, releasedAt: number, placedAt = calledAt): Claim {
  return { worker, calledAt, placedAt, grantedAt, releasedAt };
}

test('in turn: no inversions, and gaps from release to grant', () => {
  const claims = [claim(0, 0, 1, 3), claim(1, 0.5, 4, 6), claim(2, 0.7, 6.5, 8)];
  const study = studyHandOvers(claims, 3, all);
  expect(study).toMatchObject({ acquisitions: 3, inversions: 0, violations: 0, fairness: 1, starved: 0 });
  expect(study.gaps).toEqual([1, 0.5]);
});

test('a claim that passes an earlier one is one inversion, however many it passes', () => {
  const claims = [claim(0, 0, 1, 2), claim(1, 0.1, 5, 6), claim(2, 0.2, 7, 8), claim(3, 0.3, 3, 4)];
  expect(studyHandOvers(claims, 4, all).inversions).toBe(1);
});

test('a claim that still waits at the end was passed by those who came later', () => {
  const claims = [claim(0, 0, 1, 2), claim(1, 0.1, Infinity, Infinity), claim(2, 0.2, 3, 4), claim(0, 2, 5, 6)];
  const study = studyHandOvers(claims, 3, all);
  expect(study.inversions).toBe(2);
  expect(study.starved).toBe(1);
});

test('only a claim that certainly had its place before the call of another was passed by it', () => {
  const passed = [claim(0, 0, 5, 6, 2), claim(1, 1, 3, 4, 2)];
  expect(studyHandOvers(passed, 2, all).inversions).toBe(0);
  expect(studyHandOvers([claim(0, 0, 5, 6, 0.5), claim(1, 1, 3, 4, 2)], 2, all).inversions).toBe(1);
});

test('taking the lock again at once is no hand-over', () => {
  const study = studyHandOvers([claim(0, 0, 1, 2), claim(0, 2, 2.5, 3), claim(1, 0.1, 4, 5)], 2, all);
  expect(study.gaps).toEqual([1]);
});

test('a grant before the release of another is a violation, also when others lie between', () => {
  expect(studyHandOvers([claim(0, 0, 1, 10), claim(1, 0, 2, 3), claim(2, 0, 4, 5)], 3, all).violations).toBe(2);
  expect(studyHandOvers([claim(0, 0, 1, Infinity), claim(1, 0, 2, 3)], 2, all).violations).toBe(1);
});

test('gaps between workers of two processes are told apart', () => {
  const claims = [claim(0, 0, 1, 2), claim(1, 0, 3, 4), claim(2, 0, 7, 8), claim(3, 0, 9, 10), claim(0, 3, 15, 16)];
  expect(studyHandOvers(claims, 4, all, 2)).toMatchObject({ gaps: [1, 3, 1, 5], crossGaps: [3, 5] });
  expect(studyHandOvers(claims, 4, all).crossGaps).toEqual([]);
});

test('only grants within the window count', () => {
  const claims = [claim(0, 0, 1, 2), claim(1, 0, 3, 4), claim(0, 2, 5, 6), claim(1, 4, 2_000, 2_001)];
  expect(studyHandOvers(claims, 2, { from: 2, to: 1_000 })).toMatchObject({ acquisitions: 2, gaps: [1, 1] });
});

test('claims survive the journey between processes', () => {
  const claims = [claim(3, 0.25, 1, 2), claim(4, 1, Infinity, Infinity, Infinity)];
  expect(unpackClaims(packClaims(claims))).toEqual(claims);
});
