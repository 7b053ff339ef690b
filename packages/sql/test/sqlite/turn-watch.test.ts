import { expect, test } from 'vitest';
import { LinePace } from '../../src/sqlite/turns/line-pace.ts';
import { Session } from '../../src/sqlite/connection/session.ts';
import { statements } from '../../src/sqlite/statements.ts';
import { TurnWatch } from '../../src/sqlite/turns/turn-watch.ts';
import { ownFile } from './support/own.ts';
import type { TestFile } from './support/file.ts';

/**
 * Holds 'job' until `until`, with two in line: the first of process A, the second of process B; all
 * µs.
 */
function lineUp({ observer }: TestFile, until: number): void {
  observer.exec(`
    INSERT INTO "locks" (key, version, owner, held_until, line_until, next_lapse, touched) VALUES ('job', 1, 'h', ${until}, 9000, 5000, 0);
    INSERT INTO "locks_line" (key, place, owner, process, permits, seen, deadline)
      VALUES ('job', 1, 'a', 'A', NULL, 0, 5000), ('job', 2, 'b', 'B', NULL, 0, 9000)`);
}

function watching(file: TestFile): { watch: TurnWatch; session: Session; pace: LinePace } {
  const session = new Session(file.observer, { table: 'locks', schema: undefined }, statements);
  const pace = new LinePace();
  return { watch: new TurnWatch(session, pace), session, pace };
}

test('whose turn it is depends on the holder, on the line, and on time', () => {
  const file = ownFile();
  lineUp(file, 4_000);
  const at = (now: number, process: string): readonly string[] =>
    watching(file)
      .watch.look(['job', 'other'], process, now)
      .map(({ owner }) => owner);
  expect([at(1_000, 'A'), at(1_000, 'B')]).toEqual([[], []]);
  expect([at(4_000, 'A'), at(4_000, 'B')]).toEqual([['a'], []]);
  // The first place has lapsed.
  expect([at(5_000, 'A'), at(5_000, 'B')]).toEqual([[], ['b']]);
  expect(at(9_000, 'B')).toEqual([]);
});

test('a sharer can go while there are permits left', () => {
  const file = ownFile();
  file.observer.exec(`
    INSERT INTO "locks" (key, version, held_until, line_until, next_lapse, touched) VALUES ('job', 1, 8000, 9000, 9000, 0);
    INSERT INTO "locks_shares" (key, owner, token, permits, expires) VALUES ('job', 's', 1, 2, 3000), ('job', 't', 1, 2, 8000);
    INSERT INTO "locks_line" (key, place, owner, process, permits, seen, deadline) VALUES ('job', 1, 'a', 'A', 2, 0, 9000)`);
  expect(watching(file).watch.look(['job'], 'A', 1_000)).toEqual([]);
  expect(watching(file).watch.look(['job'], 'A', 3_000)).toEqual([{ owner: 'a' }]);
  file.observer.exec('UPDATE "locks_line" SET permits = NULL');
  expect(watching(file).watch.look(['job'], 'A', 3_000)).toEqual([]);
});

test('the tables are queried again when a process has written, or time may have changed the answer, and not else', () => {
  const file = ownFile();
  lineUp(file, 4_000);
  const { watch, session } = watching(file);
  let queries = 0;
  const { rows } = session;
  session.rows = (...args) => {
    queries += 1;
    return rows.apply(session, args);
  };
  const look = (now: number): number => {
    watch.look(['job'], 'A', now);
    return queries;
  };
  expect([look(1_000), look(1_001), look(3_999)]).toEqual([1, 1, 1]);
  // The holder has expired. The first in line is told until it acts.
  expect([look(4_000), look(4_001)]).toEqual([2, 3]);
  session.write(() => session.run('leaveLine', { key: 'job', owner: 'a' }));
  expect([look(4_002), look(4_003), look(8_999), look(9_000)]).toEqual([4, 4, 4, 5]);
});

test('looks become rarer while nothing moves: a twentieth of that time, from 5 to 100 ms', () => {
  const file = ownFile();
  lineUp(file, 10 ** 9);
  const { watch, session, pace } = watching(file);
  const quiet = (ms: number): number => pace.interval(1_000 + ms * 1_000);
  watch.look(['job'], 'A', 1_000);
  expect([quiet(0), quiet(99), quiet(200), quiet(1_000), quiet(60_000)]).toEqual([5, 5, 10, 50, 100]);
  // A sign of life is no move, a grant is.
  session.write(() => session.run('keepOthers', { key: 'job', owners: '["b"]', now: 1_000, deadline: 9_500 }));
  watch.look(['job'], 'A', 2_000);
  expect(quiet(1_000)).toBe(50);
  file.observer.exec('UPDATE "locks" SET version = 2');
  session.write(() => {});
  watch.look(['job'], 'A', 2_000);
  expect(pace.interval(2_000)).toBe(5);
});
