import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dialects } from '../scripts/embed-sql.mjs';

const source = new URL('../src/', import.meta.url);
const files = (readdirSync(source, { recursive: true }) as string[])
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));
const folderOf = (file: string): string => file.split('/')[0] ?? '';

/** What each database has, whatever else it needs. */
const shape = [
  'check-connection.ts',
  'clients/pool.ts',
  'connection/check-version.ts',
  'connection/connection.ts',
  'connection/errors.ts',
  'dialect.ts',
  'migration-lock.ts',
  'migrations.ts',
  'sql-session.ts',
  'statements.ts',
  'text-table.ts',
];

describe.each(dialects)('the folder of %s', (dialect) => {
  test('has the files of the others', () => {
    expect(files).toEqual(expect.arrayContaining(shape.map((file) => `${dialect}/${file}`)));
  });

  test('is imported by the table of dialects, by client libraries and for public types alone', () => {
    const importers = files.filter(
      (file) =>
        ![dialect, 'clients'].includes(folderOf(file)) &&
        new RegExp(`from '[./]+/${dialect}/`).test(readFileSync(new URL(file, source), 'utf8')),
    );
    // The latter re-exports the types of clients.
    expect(importers.toSorted()).toEqual(['databases/dialects.ts', 'index.ts']);
  });
});

test('no file outside of the folders asks which database it is', () => {
  const shared = files.filter((file) => ![...dialects, 'clients'].includes(folderOf(file)));
  const asking = shared.filter((file) =>
    /=== '(?:postgres|mysql|sqlite|pg|mysql2|better-sqlite3)'/.test(readFileSync(new URL(file, source), 'utf8')),
  );
  expect(asking).toEqual([]);
});

test('no two folders import each other, types included', () => {
  const imports = new Set<string>();
  for (const file of files) {
    const from = posix.dirname(file);
    for (const [, path = ''] of readFileSync(new URL(file, source), 'utf8').matchAll(
      /(?:from|import\()\s*'(\.[^']+)'/g,
    ))
      imports.add(`${from} ${posix.dirname(posix.join(from, path))}`);
  }
  const bothWays = [...imports].filter((each) => {
    const [from, to] = each.split(' ');
    return from !== to && imports.has(`${to} ${from}`);
  });
  expect(imports.size).toBeGreaterThan(files.length / 4);
  expect(bothWays).toEqual([]);
});
