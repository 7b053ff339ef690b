import { expect, test } from 'vitest';
import { check } from '../src/check/check.ts';
import type { RunLog } from '../src/log/events.ts';
import { at, lease, logOf } from './logs.ts';

function violations(log: RunLog): readonly string[] {
  return check(log).violations;
}

const semaphore = { mode: 'shared', permits: 2 } as const;

test('one holder after the other is fine', () => {
  const log = logOf({
    a: [...lease('a/1', 1, { from: 0, to: 10 }), ...lease('a/2', 3, { from: 22, to: 30 })],
    b: lease('b/1', 2, { from: 11, to: 20 }),
  });
  expect(violations(log)).toEqual([]);
});

test('two holders at once are found', () => {
  const log = logOf({ a: lease('a/1', 1, { from: 0, to: 10 }), b: lease('b/1', 2, { from: 9, to: 20 }) });
  expect(violations(log)).toEqual([expect.stringMatching(/^two holders of "k": b\/1/)]);
});

test('a holder that was killed holds for as long as its lease had promised', () => {
  const next = (from: number): RunLog =>
    logOf({ a: lease('a/1', 1, { from: 0, left: 300 }), b: lease('b/1', 2, { from, to: from + 1 }) });
  expect(violations(next(299))).toEqual([expect.stringMatching(/^two holders/)]);
  expect(violations(next(301))).toEqual([]);
});

test('a release that answers true proves that the hold lasted', () => {
  const log = logOf({
    a: lease('a/1', 1, { from: 0, to: 200, left: 50 }),
    b: lease('b/1', 2, { from: 100, to: 110 }),
  });
  expect(violations(log)).toEqual([expect.stringMatching(/^two holders/)]);
});

test('sharers may hold together, within their permits', () => {
  const sharer = (name: string, token: number) => lease(`${name}/1`, token, { from: token, to: 50, ask: semaphore });
  expect(violations(logOf({ a: sharer('a', 1), b: sharer('b', 2) }))).toEqual([]);
  expect(violations(logOf({ a: sharer('a', 1), b: sharer('b', 2), c: sharer('c', 3) }))).toEqual([
    expect.stringMatching(/^3 holders of the 2 permits/),
  ]);
});

test('an exclusive holder beside a sharer is found', () => {
  const log = logOf({
    a: lease('a/1', 1, { from: 0, to: 50, ask: { mode: 'shared' } }),
    b: lease('b/1', 2, { from: 20, to: 30 }),
  });
  expect(violations(log)).toEqual([expect.stringMatching(/^two holders/)]);
});

test('a token that goes back, and one that is given twice, are found', () => {
  const log = (second: number): RunLog =>
    logOf({ a: lease('a/1', 5, { from: 0, to: 10 }), b: lease('b/1', second, { from: 20, to: 30 }) });
  expect(violations(log(4))).toEqual(expect.arrayContaining([expect.stringMatching(/went back: 4 of b\/1 after 5/)]));
  expect(violations(log(5))).toEqual([expect.stringMatching(/was given twice/)]);
});

test('a token that goes back is found though the lease had ended when it arrived', () => {
  const log = logOf({ a: lease('a/1', 5, { from: 0, to: 10 }), b: lease('b/1', 4, { from: 20, left: 0 }) });
  expect(violations(log)).toEqual([expect.stringMatching(/went back/)]);
});

test('a lost update, and a stale write that was taken, are found', () => {
  const event = { key: 'k', id: 'a/1', t: at(5) } as const;
  const workers = { a: lease('a/1', 1, { from: 0, to: 10 }) };
  const lost = logOf(workers, [
    { ...event, ev: 'accept', token: '1', value: 1 },
    { ...event, ev: 'accept', token: '2', value: 1 },
  ]);
  expect(violations(lost)).toEqual(expect.arrayContaining([expect.stringMatching(/an update of "k" was lost/)]));
  const stale = logOf(workers, [
    { ...event, ev: 'accept', token: '2', value: 1 },
    { ...event, ev: 'accept', token: '1', value: 2 },
  ]);
  expect(violations(stale)).toEqual([expect.stringMatching(/took token 1 of a\/1 after 2/)]);
});

test('a write of a certain holder that was refused is found', () => {
  const log = logOf({ a: lease('a/1', 1, { from: 0, to: 10 }) }, [
    { ev: 'read', t: at(1), id: 'z', key: 'k', token: '9', value: 0 },
    { ev: 'refuse', t: at(2), id: 'a/1', key: 'k', token: '1', value: 0 },
  ]);
  expect(violations(log)).toEqual([expect.stringMatching(/refused a\/1/)]);
});
