import type { Claim } from '@locks/core';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numbered, sequenceLimit } from '../../../src/nodes/sequence.ts';
import { holdersOf, judge } from '../../../src/recipes/algorithm.ts';
import type { Verdict } from '../../../src/recipes/recipe.ts';
import { contenderName, parseContenders, placesOf, uuidOf } from '../../../src/recipes/contenders.ts';
import type { Contender } from '../../../src/recipes/contenders.ts';

/** A queue of these kinds, first come first. */
function queueOf(...modes: readonly Claim['mode'][]): Contender[] {
  const recipes = ['mutex', 'read-write'] as const;
  return parseContenders(
    modes.map((mode, index) => numbered(contenderName(recipes[index % 2]!, { owner: `test/${index}`, mode }), index)),
  );
}

function judgeAt(queue: readonly Contender[], index: number): Verdict {
  return judge(queue, queue[index]?.name ?? 'missing');
}

describe('who holds, and who is watched', () => {
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
