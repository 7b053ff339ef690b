import type { Claim } from '@locks/core';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numbered, sequenceLimit } from '../../../src/nodes/sequence.ts';
import { holdersOf, judge } from '../../../src/recipes/algorithm.ts';
import type { Verdict } from '../../../src/recipes/recipe.ts';
import { contenderName, parseContenders, placesOf, uuidOf } from '../../../src/recipes/contenders.ts';
import type { Contender } from '../../../src/recipes/contenders.ts';

type Kind = 'exclusive' | 'shared' | number;

function claimOf(kind: Kind): Pick<Claim, 'mode' | 'permits'> {
  return typeof kind === 'number' ? { mode: 'shared', permits: kind } : { mode: kind };
}

/** A line of these kinds, first come first; a number is one of permits. */
function lineOf(...kinds: readonly Kind[]): Contender[] {
  const names = kinds.map((kind, index) => {
    return numbered(
      contenderName(index % 2 === 0 ? 'mutex' : 'read-write', { owner: `test/${index}`, ...claimOf(kind) }),
      index,
    );
  });
  return parseContenders(names);
}

function judgeAt(line: readonly Contender[], index: number): Verdict {
  return judge(line, line[index]?.name ?? 'missing');
}

/** Which of the line one waits for, by their places; or what else it is told. */
function watched(line: readonly Contender[], index: number): readonly number[] | string {
  const verdict = judgeAt(line, index);
  if (verdict.state !== 'waits') return verdict.state;
  return verdict.watch.map((name) => line.findIndex((contender) => contender.name === name));
}

describe('who holds, and who is watched', () => {
  test('exclusive: the first, the others their predecessors', () => {
    const line = lineOf('exclusive', 'exclusive', 'exclusive');
    expect([0, 1, 2].map((index) => watched(line, index))).toEqual(['holds', [0], [1]]);
  });

  test('shared: all before the first exclusive one; the others the nearest exclusive one', () => {
    const line = lineOf('shared', 'shared', 'exclusive', 'shared', 'exclusive', 'shared', 'shared');
    expect(line.map((_, index) => watched(line, index))).toEqual(['holds', 'holds', [1], [2], [3], [4], [4]]);
  });

  test('permits: as many as there are, the others the nearest that many', () => {
    const line = lineOf(2, 2, 2, 2, 'exclusive', 2);
    expect(line.map((_, index) => watched(line, index))).toEqual(['holds', 'holds', [0, 1], [1, 2], [3], [4]]);
  });

  test('permits of other numbers: their own counts, and they pass none who waits before', () => {
    const line = lineOf(1, 3, 3, 3, 1, 3);
    expect(line.map((_, index) => watched(line, index))).toEqual([
      'holds',
      'holds',
      'holds',
      [0, 1, 2],
      [3],
      [2, 3, 4],
    ]);
    const behind = lineOf(1, 1, 3);
    expect([watched(behind, 1), watched(behind, 2)]).toEqual([[0], [0, 1]]);
    expect(holdersOf(behind)).toMatchObject({ holders: [{ permits: 1 }], waiters: { length: 2 } });
    expect(holdersOf(line)).toMatchObject({
      holders: [{ permits: 1 }, { permits: 3 }, { permits: 3 }],
      waiters: { length: 3 },
    });
  });

  test('shared beside permits: any number may go in, but none passes one that waits before', () => {
    const line = lineOf(2, 'shared', 2, 'shared', 'shared');
    expect(line.map((_, index) => watched(line, index))).toEqual(['holds', 'holds', [0, 1], [0, 1, 2], [0, 1, 2]]);
    expect(watched(lineOf('shared', 1, 'exclusive', 'shared'), 3)).toEqual([2]);
  });

  test('one permit is watched like a mutex', () => {
    expect(watched(lineOf(1, 1, 1), 2)).toEqual([1]);
  });

  test('children come in any order', () => {
    const line = lineOf('exclusive', 'shared', 'shared', 'exclusive', 'shared');
    fc.assert(
      fc.property(fc.shuffledSubarray(line, { minLength: line.length }), (shuffled) => {
        for (const { name } of line) expect(judge(shuffled, name)).toEqual(judge(line, name));
        expect(holdersOf(shuffled)).toEqual(holdersOf(line));
      }),
    );
  });

  test('whose node has gone is told so', () => {
    expect(judge(lineOf('exclusive'), 'other-lock-0000000000')).toEqual({ state: 'missing' });
    expect(judge([], 'other-lock-0000000000')).toEqual({ state: 'missing' });
  });

  test('a foreign contender before counts, whatever its name', () => {
    const names = ['unknown-0000000003', 'mine-lock-0000000004', 'note'];
    expect(judge(parseContenders(names), 'mine-lock-0000000004')).toEqual({
      state: 'waits',
      watch: ['unknown-0000000003'],
      place: 1,
    });
  });
});

describe('sequence numbers that are used up', () => {
  const numbers = (...sequences: readonly string[]): Contender[] =>
    parseContenders(sequences.map((sequence) => `a-lock-${sequence}`));

  test('a place near the end is none, those before are served', () => {
    const line = numbers('0000000001', `${sequenceLimit - 1}`, `${sequenceLimit}`);
    expect(judgeAt(line, 0)).toEqual({ state: 'holds' });
    expect(judgeAt(line, 1)).toMatchObject({ state: 'waits' });
    expect(judgeAt(line, 2)).toEqual({ state: 'exhausted', sequence: sequenceLimit });
  });

  test('no claim is granted while other libraries sort the newcomers to the front', () => {
    const line = numbers('0000000001', '-2147483648');
    expect(judgeAt(line, 0)).toMatchObject({ state: 'exhausted' });
    expect(judgeAt(line, 1)).toMatchObject({ state: 'exhausted' });
  });

  test('the number that the counter stays at is no place in line', () => {
    const names = ['a-lock-2147483647', 'b-lock-2147483647'];
    for (const name of names) expect(judge(parseContenders(names), name)).toMatchObject({ state: 'exhausted' });
  });
});

test('who holds and who waits', () => {
  const names = (line: readonly Contender[]): readonly [number[], number[]] => {
    const { holders, waiters } = holdersOf(line);
    return [holders.map((holder) => line.indexOf(holder)), waiters.map((waiter) => line.indexOf(waiter))];
  };
  expect(names([])).toEqual([[], []]);
  expect(names(lineOf('exclusive', 'shared'))).toEqual([[0], [1]]);
  expect(names(lineOf('shared', 'shared', 'exclusive', 'shared'))).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(names(lineOf(2, 2, 2, 'exclusive'))).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(names(lineOf(2, 3, 2))).toEqual([[0, 1], [2]]);
});

test('the nodes of one owner, first come first', () => {
  const prefix = contenderName('mutex', { owner: 'test/a', mode: 'exclusive' });
  const line = parseContenders([numbered(prefix, 7), 'other-lock-0000000001', numbered(prefix, 2)]);
  expect(placesOf(line, uuidOf('test/a')).map(({ sequence }) => sequence)).toEqual([2, 7]);
});
