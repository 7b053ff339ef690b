import { inspect } from 'node:util';
import knex from 'knex';
import { expect, test } from 'vitest';
import { createSqlProvider } from '../src/index.ts';

test('a provider shows its name and its traits, and nothing of its knex', async () => {
  const pool = knex({ client: 'pg', connection: 'postgres://user:secret@localhost:1/internal' });
  const provider = createSqlProvider(pool);
  const json = JSON.stringify(provider);
  expect(JSON.parse(json)).toEqual({ name: provider.name, traits: provider.traits });
  const shown = inspect(provider, { depth: null });
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(/^\w+ \{ name: '\w+', traits: \{ [^{}]+ \} \}$/);
  expect(inspect(provider, { depth: null, showHidden: true })).not.toMatch(/secret|internal/);
  await provider.close();
  await pool.destroy();
});
