import { describe, expect, test } from 'vitest';
import type { Turn } from '../src/events.ts';
import { evaluate } from '../src/findings.ts';
import type { Findings } from '../src/findings.ts';
import { judge } from '../src/verdict.ts';

/** A turn of 10 ms whose lock was asked for 20 ms before, and waited for since 19 ms before. */
function turn(from: number, token: bigint, hold: { asked?: number; inLine?: number } = {}): Turn {
  return {
    worker: 1,
    from,
    until: from + 10,
    balance: 1,
    hold: { token, asked: from - 20, inLine: from - 19, ...hold },
  };
}

function evaluated(turns: readonly Turn[], balance = turns.length, killed?: Turn): Findings {
  return evaluate({ turns, killed, balance });
}

describe('a run with a lock is judged broken', () => {
  const fine = evaluated([turn(100, 1n), turn(200, 2n)]);

  test('not when it is exact and its tokens increase', () => {
    expect(judge(fine, fine, 2)).toMatchObject({ kept: true });
  });

  test.each([
    { why: 'an update is missing', findings: evaluated([turn(100, 1n), turn(200, 2n)], 1) },
    { why: 'there is one that nobody made', findings: evaluated([turn(100, 1n), turn(200, 2n)], 3) },
    { why: 'a token is given twice', findings: evaluated([turn(100, 1n), turn(200, 1n)]) },
    { why: 'a token goes back', findings: evaluated([turn(200, 1n), turn(100, 2n)]) },
    {
      why: "the token after a dead holder's does not exceed it",
      findings: evaluated([turn(200, 2n)], 1, turn(100, 2n)),
    },
  ])('when $why', ({ findings }) => {
    expect(judge(fine, findings, 2)).toMatchObject({ kept: false, line: expect.stringMatching(/^FAILED: /) });
  });
});

describe('findings', () => {
  test('count the workers that were at it at once', () => {
    expect(evaluated([turn(100, 1n), turn(110, 2n)]).inside).toBe(1);
    expect(evaluated([turn(100, 1n), turn(105, 2n), turn(109, 3n)]).inside).toBe(3);
  });

  test('include the turn of the killed worker, but not as an update', () => {
    const findings = evaluated([turn(200, 2n)], 1, turn(100, 1n));
    expect(findings).toMatchObject({ made: 1, lost: 0, took: 110, lock: { firstToken: 1n, lastToken: 2n } });
  });

  test('give the waits by nearest rank', () => {
    const turns = [10, 20, 30, 40].map((wait, index) =>
      turn(100 * (index + 1), BigInt(index), { asked: 100 * (index + 1) - wait }),
    );
    expect(evaluated(turns).lock?.waits).toEqual({ p50: 20, p99: 40, max: 40 });
  });

  test('tell who was served before somebody already in line', () => {
    const overtaken = turn(200, 2n, { asked: 50, inLine: 51 });
    expect(evaluated([turn(100, 1n, { asked: 60, inLine: 61 }), overtaken]).lock?.outOfTurn).toBe(1);
    // Asked before the other was told that it is in line: nobody can say who came first.
    expect(evaluated([turn(100, 1n, { asked: 50.5, inLine: 61 }), overtaken]).lock?.outOfTurn).toBe(0);
  });
});
