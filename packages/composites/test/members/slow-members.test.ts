import { expect, test } from 'vitest';
import { Member } from '../../src/members/member.ts';
import { createMemoryProvider } from '../../../core/src/index.ts';
import { systemRuntime } from '../../../core/src/time/runtime.ts';

function member(): Member {
  return new Member('combine', createMemoryProvider(), 0, 'member 1 of 3 (memory)', systemRuntime);
}

let now = 0;

/** A call that was answered after `took` ms, while the fastest of the others took `fastest` ms. */
function answer(one: Member, took: number, fastest: number): void {
  now += 1_000;
  one.answered(one.begin(), now, took, () => fastest);
}

/** A call that had no answer within `timeout` ms. */
function silence(one: Member, timeout = 100, fastest = 0): void {
  now += 1_000;
  one.begin();
  one.silent(now, timeout, fastest);
}

test('two answers that take ten times as long as those of others at the same time make a member suspect', () => {
  const one = member();
  answer(one, 200, 2);
  expect(one.suspect).toBe(false);
  answer(one, 200, 2);
  expect(one.suspect).toBe(true);
  answer(one, 3, 2);
  expect(one.suspect).toBe(false);
});

test('answers to calls that were under way together count as one, as one delay may be behind them', () => {
  const one = member();
  for (const at of [5_000, 5_001, 5_002]) {
    one.answered(one.begin(), at, 200, () => 2);
  }
  expect(one.suspect).toBe(false);
  one.answered(one.begin(), 5_300, 200, () => 2);
  expect(one.suspect).toBe(true);
});

test('what delays all answers, as a process that stood still, makes no member suspect', () => {
  const one = member();
  for (let call = 0; call < 5; call += 1) answer(one, 400, 390);
  expect(one.suspect).toBe(false);
});

test('a late answer without another to compare it with says nothing', () => {
  const one = member();
  for (let call = 0; call < 5; call += 1) answer(one, 400, Infinity);
  expect(one.suspect).toBe(false);
  silence(one);
  answer(one, 400, Infinity);
  expect(one.suspect).toBe(true);
  answer(one, 20, Infinity);
  expect(one.suspect).toBe(false);
});

test('an answer that came too late ends no suspicion, however slow the others are', () => {
  const one = member();
  silence(one);
  one.answered(one.begin(), now, 200, () => 100, true);
  expect(one.suspect).toBe(true);
});

test('a silence while the others take long, too, makes a member suspect the second time only', () => {
  const one = member();
  silence(one, 100, 60);
  expect(one.suspect).toBe(false);
  silence(one, 100, 60);
  expect(one.suspect).toBe(true);
  const other = member();
  silence(other, 100, 40);
  expect(other.suspect).toBe(true);
});

test('an answer counts for others that were asked before it came', () => {
  const one = member();
  expect(one.tookSince(0)).toBe(Infinity);
  answer(one, 7, Infinity);
  expect(one.tookSince(now - 1)).toBe(7);
  expect(one.tookSince(now)).toBe(Infinity);
});

test('a member that is suspect again soon is trusted when it was prompt for longer, each time', () => {
  const one = member();
  const trials = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
  for (const trial of trials) {
    silence(one);
    const slowAt = now;
    let prompt = 0;
    while (one.suspect) {
      answer(one, 3, 2);
      prompt += 1;
    }
    expect(now - slowAt).toBe(Math.max(1_000, trial));
    expect(prompt).toBe(Math.max(1, trial / 1_000));
  }
  now += 60_000;
  silence(one);
  answer(one, 3, 2);
  expect(one.suspect).toBe(false);
});
