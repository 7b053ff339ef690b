import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { statements as textStatements } from '../../src/postgres/texts-statements.ts';
import { statements } from '../../src/postgres/statements.ts';
import { createTables } from '../support/databases.ts';
import { startServer } from './support/database.ts';

const server = await startServer();
await createTables(server.url);
await createTables(server.url, { schema: 'texts', routines: false });
const routines = postgres(server.url, { max: 1 });
const texts = postgres(server.url, { max: 1, connection: { search_path: 'texts' } });
afterAll(async () => {
  await Promise.all([routines.end(), texts.end()]);
  await server.stop();
});

const { table: _table, ...textCalls } = textStatements;
const all = [
  ...Object.entries(statements).map(([name, text]) => ({ name, text, sql: routines })),
  ...Object.entries(textCalls).map(([name, text]) => ({ name: `${name} without routines`, text, sql: texts })),
];

// An executor gives rows by the names of their columns.
test.each(all)('each column that the statement $name returns has a name of its own', async ({ text, sql }) => {
  const { columns } = await sql.unsafe(text).describe();
  const names = (columns ?? []).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  // Those that look like numbers would come first.
  expect(names.filter((name) => /^\d/.test(name))).toEqual([]);
});
