import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dialects } from '../scripts/embed-sql.mjs';

const source = new URL('../src/', import.meta.url);
const files = (readdirSync(source, { recursive: true }) as string[])
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));
const folderOf = (file: string): string => file.split('/')[0] ?? '';

/** What each database has, whatever else it needs. */
const shape = [
  'connection/check-connection.ts',
  'connection/connection.ts',
  'connection/pool.ts',
  'connection/session.ts',
  'dialect.ts',
  'errors.ts',
  'migration-lock.ts',
  'migrations.ts',
  'statements.ts',
  'sql-session.ts',
];

describe.each(dialects)('the folder of %s', (dialect) => {
  test('has the files of the others', () => {
    expect(files).toEqual(expect.arrayContaining(shape.map((file) => `${dialect}/${file}`)));
  });

  test('is imported by the table of dialects and by client libraries alone', () => {
    const importers = files.filter(
      (file) =>
        ![dialect, 'clients'].includes(folderOf(file)) &&
        new RegExp(`from '[./]+/${dialect}/`).test(readFileSync(new URL(file, source), 'utf8')),
    );
    expect(importers).toEqual(['dialects.ts']);
  });
});

test('no file outside of the folders asks which database it is', () => {
  const shared = files.filter((file) => ![...dialects, 'clients'].includes(folderOf(file)));
  const asking = shared.filter((file) =>
    /=== '(?:postgres|mysql|sqlite|pg|mysql2|better-sqlite3)'/.test(readFileSync(new URL(file, source), 'utf8')),
  );
  expect(asking).toEqual([]);
});
