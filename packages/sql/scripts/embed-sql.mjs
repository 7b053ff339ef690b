// Writes src/<dialect>/statements.ts, texts-statements.ts and migrations.ts from
// sql/<dialect>/*.sql, sql/<dialect>/texts/*.sql and sql/<dialect>/migrations/*.sql.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

export const dialects = ['postgres', 'mysql', 'sqlite'];

const source = (dialect) => new URL(`../sql/${dialect}/`, import.meta.url);
const target = (dialect, file) => new URL(`../src/${dialect}/${file}.ts`, import.meta.url);
const filesOf = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted();
const camelCase = (text) => text.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
const quoted = (text) => `\`${text.replaceAll(/[\\`]|\$\{/g, '\\$&')}\``;

/** Comments and indentation go: they would be sent with every call. */
const stripped = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('--'))
    .join('\n')
    .replace(/;$/, '');

/**
 * The statements of a script, which is written for the database's own command line: it knows
 * DELIMITER where that does.
 */
function statementsOf(dialect, text) {
  // Postgres takes a script whole, in one transaction. Its routines have semicolons.
  if (dialect === 'postgres' && text.includes('$$')) return [text.trim()];
  const found = [];
  let delimiter = ';';
  let statement = '';
  for (const line of text.split('\n')) {
    const changed = /^DELIMITER (\S+)$/.exec(line)?.[1];
    if (changed !== undefined) {
      delimiter = changed;
    } else if (statement === '' && line.startsWith('--')) {
      continue;
    } else if (line.trimEnd().endsWith(delimiter)) {
      found.push((statement + line.trimEnd().slice(0, -delimiter.length)).trim());
      statement = '';
    } else if (statement !== '' || line.trim() !== '') {
      statement += `${line}\n`;
    }
  }
  return found.filter((each) => each !== '');
}

const header = (dialect, what) =>
  `// Written by scripts/embed-sql.mjs from sql/${dialect}/${what} at each build. Change those.\n`;

/** Files of a folder that are for database administrators. */
const forAdministrators = new Set(['grants.sql', 'table.sql']);

/**
 * The statements of a folder: each stands after a line `-- name: its-name`. `inside` is '' for the
 * layout with routines, `texts/` for the one table without.
 */
export function statementsIn(dialect, inside = '') {
  const folder = new URL(inside, source(dialect));
  return filesOf(folder)
    .filter((file) => !forAdministrators.has(file))
    .flatMap((file) => {
      const [, ...sections] = readFileSync(new URL(file, folder), 'utf8').split(/^-- name: ([a-z-]+)\n/m);
      return Array.from({ length: sections.length / 2 }, (_, index) => ({
        name: sections[2 * index],
        text: sections[2 * index + 1],
      }));
    });
}

function embedStatements(dialect, inside = '') {
  const table = () => readFileSync(new URL(`${inside}table.sql`, source(dialect)), 'utf8');
  const all = [...statementsIn(dialect, inside), ...(inside === '' ? [] : [{ name: 'table', text: table() }])];
  const names = all.map(({ name }) => `'${camelCase(name)}'`);
  return [
    header(dialect, `${inside}*.sql`),
    '/** The statements, with the default names of the tables. */',
    `export const statements: Readonly<Record<${names.join(' | ') || 'never'}, string>> = {`,
    ...all.map(({ name, text }) => `  ${camelCase(name)}: ${quoted(stripped(text))},`),
    '};',
    '',
  ].join('\n');
}

function embedMigrations(dialect) {
  const folder = new URL('migrations/', source(dialect));
  const ups = filesOf(folder).filter((file) => !file.endsWith('.down.sql'));
  const list = (file) =>
    statementsOf(dialect, readFileSync(new URL(file, folder), 'utf8'))
      .map((text) => `      ${quoted(text)},\n`)
      .join('');
  const entries = ups.map((file) => {
    const name = file.replace(/\.sql$/, '');
    return `  {\n    name: '${name}',\n    up: [\n${list(file)}    ],\n    down: [\n${list(`${name}.down.sql`)}    ],\n  },`;
  });
  return [
    header(dialect, 'migrations/*.sql'),
    "import type { Migration } from '../dialect/layout/migration.ts';",
    '',
    '/** The migrations in their order, with the default names of the tables. */',
    'export const migrations: readonly Migration[] = [',
    ...entries,
    '];',
    '',
  ].join('\n');
}

if (import.meta.url === `file://${process.argv[1]}`) {
  for (const dialect of dialects) {
    writeFileSync(target(dialect, 'statements'), embedStatements(dialect));
    if (existsSync(new URL('texts/', source(dialect))))
      writeFileSync(target(dialect, 'texts-statements'), embedStatements(dialect, 'texts/'));
    writeFileSync(target(dialect, 'migrations'), embedMigrations(dialect));
  }
}
