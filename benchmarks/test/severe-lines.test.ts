import { expect, test } from 'vitest';
import { severeLines } from '../src/sql/severe-lines.ts';

test('Postgres: ERROR, FATAL and PANIC count, what only speaks of them does not', () => {
  const log = `2026-01-02 03:04:05.678 UTC [42] LOG:  database system is ready to accept connections
2026-01-02 03:04:05.678 UTC [43] ERROR:  duplicate key value violates unique constraint "verrou_pkey"
2026-01-02 03:04:05.678 UTC [43] DETAIL:  Key (key)=(ERROR) already exists.
2026-01-02 03:04:05.678 UTC [43] STATEMENT:  insert into "verrou"
2026-01-02 03:04:05.678 UTC [44] WARNING:  no ERROR here
2026-01-02 03:04:05.678 UTC [44] FATAL:  terminating connection due to administrator command
2026-01-02 03:04:05.678 UTC [44] PANIC:  could not write to file
`;
  expect(severeLines('postgres', log).map((line) => line.split('] ')[1])).toEqual([
    'ERROR:  duplicate key value violates unique constraint "verrou_pkey"',
    'FATAL:  terminating connection due to administrator command',
    'PANIC:  could not write to file',
  ]);
});

test('MariaDB: [ERROR] counts, notes and warnings do not', () => {
  const log = `2026-01-02  3:04:05 0 [Note] mariadbd: ready for connections.
2026-01-02  3:04:05 9 [Warning] Aborted connection 9 to db: 'locks' (Got an error reading communication packets)
2026-01-02  3:04:05 9 [ERROR] InnoDB: something is wrong
`;
  expect(severeLines('mariadb', log)).toEqual(['2026-01-02  3:04:05 9 [ERROR] InnoDB: something is wrong']);
});

test('an empty log has none', () => {
  expect(severeLines('postgres', '')).toEqual([]);
});
