import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { statements as plainStatements } from '../../src/postgres/plain-statements.ts';
import { statements } from '../../src/postgres/statements.ts';
import { createTables, startServer } from './support/database.ts';

const server = await startServer();
await createTables(server.url);
const sql = postgres(server.url, { max: 1 });
afterAll(async () => {
  await sql.end();
  await server.stop();
});

const { table: _table, ...plain } = plainStatements;

// An executor gives rows by the names of their columns.
test.each([...Object.entries(statements), ...Object.entries(plain)])(
  'each column that the statement %s returns has a name of its own',
  async (_name, text) => {
    const { columns } = await sql.unsafe(text).describe();
    const names = (columns ?? []).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    // Those that look like numbers would come first.
    expect(names.filter((name) => /^\d/.test(name))).toEqual([]);
  },
);
