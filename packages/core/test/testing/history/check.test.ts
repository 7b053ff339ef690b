import { expect, test } from 'vitest';
import { checkHistory } from '../../../src/testing/index.ts';
import type { HistoryEvent } from '../../../src/testing/index.ts';
import { historyOf, killedAfter, lease } from './histories.ts';

function violations(...parts: readonly (readonly HistoryEvent[])[]): readonly string[] {
  return checkHistory(killedAfter(parts.flat())).map(({ rule, message }) => `${rule}: ${message}`);
}

const semaphore = { mode: 'shared', permits: 2 } as const;

test('one holder after the other is fine', () => {
  const one = [...lease('a/1', 1, { from: 0, to: 10 }), ...lease('a/2', 3, { from: 22, to: 30 })];
  expect(violations(one, lease('b/1', 2, { from: 11, to: 20 }))).toEqual([]);
});

test('two simultaneous holders are found', () => {
  const found = violations(lease('a/1', 1, { from: 0, to: 10 }), lease('b/1', 2, { from: 9, to: 20 }));
  expect(found).toEqual([expect.stringMatching(/^exclusion: two holders of "k": b\/1 .* a\/1 .* 1\.0 ms more/)]);
});

test('a holder that was killed or paused holds for as long as its lease had promised, and no longer', () => {
  const next = (from: number): readonly string[] =>
    violations(lease('a/1', 1, { from: 0, left: 300 }), lease('b/1', 2, { from, to: from + 1 }));
  expect(next(299)).toEqual([expect.stringMatching(/two holders/)]);
  expect(next(301)).toEqual([]);
});

test('a release that answers true proves that the hold lasted', () => {
  const found = violations(lease('a/1', 1, { from: 0, to: 200, left: 50 }), lease('b/1', 2, { from: 100, to: 110 }));
  expect(found).toEqual([expect.stringMatching(/two holders/)]);
});

test('sharers may hold together, within their permits', () => {
  const sharer = (name: string, token: number) => lease(`${name}/1`, token, { from: token, to: 50, call: semaphore });
  expect(violations(sharer('a', 1), sharer('b', 2))).toEqual([]);
  expect(violations(sharer('a', 1), sharer('b', 2), sharer('c', 3))).toEqual([
    expect.stringMatching(/3 holders of the 2 permits/),
  ]);
});

test('sharers with permits of their own may be told of in another order than they were granted', () => {
  const sharer = (name: string, token: number, permits: number, from: number) =>
    lease(`${name}/1`, token, { from, to: 50, call: { mode: 'shared', permits } });
  expect(violations(sharer('b', 2, 2, 1), sharer('c', 3, 3, 2), sharer('a', 1, 1, 3))).toEqual([]);
  expect(violations(sharer('a', 1, 3, 1), sharer('b', 2, 1, 2))).toEqual([
    expect.stringMatching(/2 holders of the 1 permits of "k": a\/1, b\/1/),
  ]);
});

test('an exclusive holder beside a sharer is found', () => {
  const sharer = lease('a/1', 1, { from: 0, to: 50, call: { mode: 'shared' } });
  expect(violations(sharer, lease('b/1', 2, { from: 20, to: 30 }))).toEqual([expect.stringMatching(/two holders/)]);
});

test('a token that goes back, and one that is given twice, are found', () => {
  const second = (token: number): readonly string[] =>
    violations(lease('a/1', 5, { from: 0, to: 10 }), lease('b/1', token, { from: 20, to: 30 }));
  expect(second(4)).toEqual([expect.stringMatching(/^tokens: .*decreased: 4 of b\/1 after 5/)]);
  expect(second(5)).toEqual([expect.stringMatching(/was granted twice/)]);
  expect(second(6)).toEqual([]);
});

test('a token that goes back is found though the lease had ended when it arrived', () => {
  const found = violations(lease('a/1', 5, { from: 0, to: 10 }), lease('b/1', 4, { from: 20, left: 0 }));
  expect(found).toEqual([expect.stringMatching(/decreased/)]);
});

test('two sharers may have one token where that is allowed', () => {
  const sharer = (name: string) => lease(`${name}/1`, 7, { from: 1, to: 50, call: { mode: 'shared' } });
  const events = killedAfter([...sharer('a'), ...sharer('b')]);
  expect(checkHistory(events)).toHaveLength(1);
  expect(checkHistory(events, { sharersMayTie: true })).toEqual([]);
});

test('a lost write, a stale one that was taken, and a refusal of a certain holder are found', () => {
  const written = { type: 'written', at: 5, id: 'a/1', key: 'k' } as const;
  const own = lease('a/1', 1, { from: 0, to: 10 });
  const lost = historyOf({ ...written, token: '1', value: 1 }, { ...written, token: '2', value: 1 });
  expect(violations(own, lost)).toEqual([expect.stringMatching(/^writes: a write of "k" was lost/)]);
  const stale = historyOf({ ...written, token: '2', value: 1 }, { ...written, token: '1', value: 2 });
  expect(violations(own, stale)).toEqual([expect.stringMatching(/took token 1 of a\/1 after 2/)]);
  const refused = historyOf(
    { type: 'read', at: 1, id: 'z/1', key: 'k', token: '9', value: 0 },
    { type: 'refused', at: 2, id: 'a/1', key: 'k', token: '1', value: 0 },
  );
  expect(violations(own, refused)).toEqual([expect.stringMatching(/refused a\/1/)]);
});

test('an event of a call that was never made is refused, and a call that is made twice', () => {
  const call = lease('a/1', 1, { from: 0 });
  expect(() => checkHistory([...call, ...call])).toThrow(/has two of its "call"/);
  expect(() => checkHistory(historyOf({ type: 'busy', at: 1, id: 'a/1' }))).toThrow(/has a "busy" before its "call"/);
});

test('a lease that continues in a store that lost writes may have a token from before them', () => {
  const events = killedAfter([
    ...lease('a/1', 1, { from: 0, to: 5 }),
    ...lease('b/1', 2, { from: 10, to: 20 }),
    ...lease('a/1/transfer', 1, { from: 40, to: 50, call: { how: 'resume', continues: 'a/1' } }),
    ...historyOf({ type: 'fault', at: 30, from: 1, kind: 'failover' }),
  ]);
  const rules = (options: object): readonly string[] => checkHistory(events, options).map(({ rule }) => rule);
  expect(rules({})).toContain('tokens');
  expect(rules({ forgetting: ['failover'] })).not.toContain('tokens');
});
