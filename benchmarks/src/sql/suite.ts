import { UsageError } from '@locks/command-line';
import type { Contention } from '../crew/contention.ts';
import { measureContended } from './contended.ts';
import type { SqlPatience } from './contended.ts';
import type { Database } from './database.ts';
import { measureListening } from './listening.ts';
import { openMariadb } from './mariadb-database.ts';
import { notification } from './notify-name.ts';
import { measureOwnKeys } from './own-keys.ts';
import { openPostgres } from './postgres-database.ts';
import { prepare } from './prepare.ts';
import type { Result } from '../results.ts';
import { openSqlite } from './sqlite-database.ts';
import { measureStatements } from './statements.ts';
import { sqlSubjectNames } from './subjects/index.ts';
import type { Dialect } from './subjects/subject.ts';
import { measureUncontended } from './uncontended.ts';
import type { Column } from '../tables/table.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import { contendedColumns, listeningColumns, ownKeysColumns, statementsColumns, uncontendedColumns } from './tables.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';

const dialects = ['postgres', 'mariadb', 'sqlite'] as const;
const raw = 'raw client';

/** The measurements of one database. */
interface Section {
  readonly dialect: Dialect;
  readonly title: string;
  open(options: SuiteContext['options']): Promise<Database>;
  readonly concurrencies: readonly number[];
}

const postgres: Section = {
  dialect: 'postgres',
  title: 'Postgres',
  open: ({ commitDelay }) => openPostgres(commitDelay),
  concurrencies: [1, 16, 64],
};
const mariadb: Section = { dialect: 'mariadb', title: 'MariaDB', open: openMariadb, concurrencies: [1, 16] };
const sqlite: Section = { dialect: 'sqlite', title: 'SQLite', open: openSqlite, concurrencies: [1, 16] };

/** Locks in databases that were started for this and are stopped in the end. */
export async function runSqlSuite(context: SuiteContext): Promise<Servers> {
  checkEnvironment();
  checkSubjects(context);
  const servers: Record<string, string> = {};
  for (const section of [postgres, mariadb, sqlite]) {
    if (!wantsAny(context, section)) continue;
    await using database = await section.open(context.options);
    servers[section.dialect] = database.version;
    context.print(`\n# ${section.title} ${database.version}`);
    await runSection(context, section, database);
  }
  return servers;
}

function wantsAny({ wants }: SuiteContext, { dialect }: Section): boolean {
  if (dialect !== 'postgres') return wants(dialect);
  return ['uncontended', 'statements', 'contended', 'listening'].some((scenario) => wants(scenario));
}

async function runSection(context: SuiteContext, section: Section, database: Database): Promise<void> {
  const { options } = context;
  const { dialect } = section;
  const names = namesOf(context, dialect);
  const table = (title: string, columns: readonly Column[], measure: () => Promise<Result[]>): Promise<unknown> =>
    context.table(`${section.title}: ${title}`, columns, measure);
  const wants = (scenario: string): boolean => context.wants(dialect === 'postgres' ? scenario : dialect);
  await prepare(database, names, options);
  if (wants('uncontended')) {
    for (const concurrency of options.quick ? [1, 16] : section.concurrencies) {
      const rotation = rotationFor(context, 12, 250);
      await table(`uncontended, ${concurrency} at once`, uncontendedColumns, () =>
        measureUncontended(database, names, concurrency, rotation, options),
      );
    }
  }
  if (dialect === 'postgres' && wants('statements')) {
    await table('an uncontended acquire and release, counted on the way', statementsColumns, () =>
      measureStatements(database, names, options),
    );
  }
  if (dialect === 'postgres' && wants('listening')) {
    await table('uncontended, 16 at once, while another process listens', listeningColumns, () =>
      measureListening(database, 16, rotationFor(context, 12, 500), options),
    );
  }
  if (dialect === 'sqlite') {
    await table('uncontended, 4 processes', ownKeysColumns, () =>
      measureOwnKeys(database, names, 4, rotationFor(context, 6, 1_000), options),
    );
  }
  if (wants('contended')) {
    for (const contention of contentionsOf(options.waiters)) {
      await table(titleOf(contention), contendedColumns, () => contended(context, database, names, contention));
    }
  }
}

function contentionsOf(numbers: readonly number[]): readonly Contention[] {
  return numbers.flatMap((waiters) =>
    [0, 2].flatMap((hold) => [1, 4].map((processes) => ({ waiters, processes, hold }))),
  );
}

function titleOf({ waiters, processes, hold }: Contention): string {
  return `contended, ${waiters} on one key in ${processes} process(es), held ${hold} ms`;
}

async function contended(
  context: SuiteContext,
  database: Database,
  names: readonly string[],
  contention: Contention,
): Promise<Result[]> {
  const { quick } = context.options;
  const patience: SqlPatience = quick
    ? { warmUp: 500, least: 500, most: 3_000, acquisitions: 300 }
    : { warmUp: 6_000, least: 1_500, most: 5_000, acquisitions: 1_500 };
  // In a quick run the peers show up where it matters most.
  const all = !quick || (contention.processes === 4 && contention.hold === 2);
  const libraries = names.filter((name) => name !== raw && (all || name === '@locks'));
  const references = database.dialect === 'postgres' ? [notification] : [];
  const cell = { scenario: `${database.dialect}/contended`, ...contention };
  return await oneByOne([...references, ...libraries], cell, context, (name) =>
    measureContended(database, name, contention, patience, context.options),
  );
}

function checkEnvironment(): void {
  for (const name of ['LOCKS_TEST_POSTGRES_URL', 'LOCKS_TEST_MARIADB_URL']) {
    if (process.env[name] !== undefined) {
      throw new UsageError(
        `The benchmarks need servers of their own, whose settings and logs they know: unset ${name}.`,
      );
    }
  }
}

function checkSubjects({ options }: SuiteContext): void {
  const known = new Set(dialects.flatMap((dialect) => sqlSubjectNames(dialect)));
  const unknown = options.subjects.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new UsageError(`--subjects: no ${unknown.join(', ')}, only ${[...known].join(', ')}.`);
  }
}

function namesOf({ options: { subjects } }: SuiteContext, dialect: Dialect): string[] {
  const isPeer = (name: string): boolean => name !== raw && !name.startsWith('@locks');
  return sqlSubjectNames(dialect).filter((name) => subjects.length === 0 || !isPeer(name) || subjects.includes(name));
}
