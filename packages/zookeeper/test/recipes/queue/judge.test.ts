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

/** A queue of these kinds, first come first; a number is one of permits. */
function queueOf(...kinds: readonly Kind[]): Contender[] {
  const names = kinds.map((kind, index) => {
    return numbered(
      contenderName(index % 2 === 0 ? 'mutex' : 'read-write', { owner: `test/${index}`, ...claimOf(kind) }),
      index,
    );
  });
  return parseContenders(names);
}

function judgeAt(queue: readonly Contender[], index: number): Verdict {
  return judge(queue, queue[index]?.name ?? 'missing');
}

/** Which of the queue one waits for, by their places; or what else it is told. */
function watched(queue: readonly Contender[], index: number): readonly number[] | string {
  const verdict = judgeAt(queue, index);
  if (verdict.state !== 'waits') return verdict.state;
  return verdict.watch.map((name) => queue.findIndex((contender) => contender.name === name));
}

describe('who holds, and who is watched', () => {
  test('exclusive: the first, the others their predecessors', () => {
    const queue = queueOf('exclusive', 'exclusive', 'exclusive');
    expect([0, 1, 2].map((index) => watched(queue, index))).toEqual(['holds', [0], [1]]);
  });

  test('shared: all before the first exclusive one; the others the nearest exclusive one', () => {
    const queue = queueOf('shared', 'shared', 'exclusive', 'shared', 'exclusive', 'shared', 'shared');
    expect(queue.map((_, index) => watched(queue, index))).toEqual(['holds', 'holds', [1], [2], [3], [4], [4]]);
  });

  test('permits: as many as there are, the others the nearest that many', () => {
    const queue = queueOf(2, 2, 2, 2, 'exclusive', 2);
    expect(queue.map((_, index) => watched(queue, index))).toEqual(['holds', 'holds', [0, 1], [1, 2], [3], [4]]);
  });

  test('permits of other numbers: their own counts, and they pass none who waits before', () => {
    const queue = queueOf(1, 3, 3, 3, 1, 3);
    expect(queue.map((_, index) => watched(queue, index))).toEqual([
      'holds',
      'holds',
      'holds',
      [0, 1, 2],
      [3],
      [2, 3, 4],
    ]);
    const behind = queueOf(1, 1, 3);
    expect([watched(behind, 1), watched(behind, 2)]).toEqual([[0], [0, 1]]);
    expect(holdersOf(behind)).toMatchObject({ holders: [{ permits: 1 }], waiters: { length: 2 } });
    expect(holdersOf(queue)).toMatchObject({
      holders: [{ permits: 1 }, { permits: 3 }, { permits: 3 }],
      waiters: { length: 3 },
    });
  });

  test('shared beside permits: any number may go in, but none passes one that waits before', () => {
    const queue = queueOf(2, 'shared', 2, 'shared', 'shared');
    expect(queue.map((_, index) => watched(queue, index))).toEqual(['holds', 'holds', [0, 1], [0, 1, 2], [0, 1, 2]]);
    expect(watched(queueOf('shared', 1, 'exclusive', 'shared'), 3)).toEqual([2]);
  });

  test('children come in any order', () => {
    const queue = queueOf('exclusive', 'shared', 'shared', 'exclusive', 'shared');
    fc.assert(
      fc.property(fc.shuffledSubarray(queue, { minLength: queue.length }), (shuffled) => {
        for (const { name } of queue) expect(judge(shuffled, name)).toEqual(judge(queue, name));
        expect(holdersOf(shuffled)).toEqual(holdersOf(queue));
      }),
    );
  });

  test('whose node has gone is told so', () => {
    expect(judge(queueOf('exclusive'), 'other-lock-0000000000')).toEqual({ state: 'missing' });
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
    const queue = numbers('0000000001', `${sequenceLimit - 1}`, `${sequenceLimit}`);
    expect(judgeAt(queue, 0)).toEqual({ state: 'holds' });
    expect(judgeAt(queue, 1)).toMatchObject({ state: 'waits' });
    expect(judgeAt(queue, 2)).toEqual({ state: 'exhausted', sequence: sequenceLimit });
  });

  test('no claim is granted while other libraries sort the newcomers to the front', () => {
    const queue = numbers('0000000001', '-2147483648');
    expect(judgeAt(queue, 0)).toMatchObject({ state: 'exhausted' });
    expect(judgeAt(queue, 1)).toMatchObject({ state: 'exhausted' });
  });
});

test('the nodes of one owner, first come first', () => {
  const prefix = contenderName('mutex', { owner: 'test/a', mode: 'exclusive' });
  const queue = parseContenders([numbered(prefix, 7), 'other-lock-0000000001', numbered(prefix, 2)]);
  expect(placesOf(queue, uuidOf('test/a')).map(({ sequence }) => sequence)).toEqual([2, 7]);
});
