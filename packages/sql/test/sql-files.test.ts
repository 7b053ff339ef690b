import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dialects, statementsIn } from '../scripts/embed-sql.mjs';

const page = readFileSync(new URL('../../../docs/backends/sql-operate.md', import.meta.url), 'utf8');

describe.each(dialects)('the SQL of %s', (dialect) => {
  const folder = new URL(`../sql/${dialect}/`, import.meta.url);

  const folders = ['', 'texts/'].filter((inside) => existsSync(new URL(inside, folder)));

  test.each(folders)('says in each statement of its folder %j what it does, and what it returns', (inside) => {
    const statements = statementsIn(dialect, inside);
    expect(statements.length).toBeGreaterThan(0);
    for (const { name, text } of statements) {
      expect(text, name).toMatch(/^-- [A-Z][^]*?\.\n/);
      expect(text, name).toMatch(/^-- Returns/m);
    }
  });

  test('has each statement once', () => {
    const names = statementsIn(dialect).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('documents the grants as its folder has them', () => {
    const file = new URL('grants.sql', folder);
    if (!existsSync(file)) return;
    const [, statements = ''] = /^(?:--.*\n)+([^]+)$/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(statements).toMatch(/^GRANT/);
    expect(page).toContain(`\`\`\`sql\n${statements}\`\`\``);
  });

  test('has a way back for each migration', () => {
    const files = readdirSync(new URL('migrations/', folder)).filter((file) => file.endsWith('.sql'));
    const ups = files.filter((file) => !file.endsWith('.down.sql'));
    expect(ups.length).toBeGreaterThan(0);
    expect(files).toEqual(ups.flatMap((file) => [file.replace(/\.sql$/, '.down.sql'), file]).toSorted());
  });
});
