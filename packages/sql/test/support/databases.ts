import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { inject, onTestFinished } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import type { MigrateTablesOptions } from '../../src/index.ts';
import { openKnex } from './open-knex.mjs';

/** A kind of database that the package works with. */
export interface Database {
  readonly name: 'Postgres' | 'MariaDB' | 'SQLite';
  /** The URL of a new database, made with these options, which is gone after the test. */
  create(options?: string): Promise<string>;
}

export const databases: readonly Database[] = [
  {
    name: 'Postgres',
    create: (options) => onServer(inject('postgresUrl'), 'DROP DATABASE %s WITH (FORCE)', options),
  },
  { name: 'MariaDB', create: (options) => onServer(inject('mariadbUrl'), 'DROP DATABASE %s', options) },
  {
    name: 'SQLite',
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'locks-sql-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      return `sqlite:${join(folder, 'locks.db')}`;
    },
  },
];

/** Those whose tables have the holds in columns, and routines. */
export const servers: readonly Database[] = databases.filter(({ name }) => name !== 'SQLite');

async function onServer(server: string, drop: string, options?: string): Promise<string> {
  const url = await newDatabase(server, options);
  onTestFinished(async () => {
    const admin = openKnex(server);
    await admin.raw(drop.replace('%s', new URL(url).pathname.slice(1)));
    await admin.destroy();
  });
  return url;
}

/** The URL of a new database on the server at `url`. */
export async function newDatabase(url: string, options = ''): Promise<string> {
  const name = ownName();
  const admin = openKnex(url);
  await admin.raw(`CREATE DATABASE ${name} ${options}`);
  await admin.destroy();
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** A name that no other test has, for a database, a table or a user. */
export function ownName(): string {
  return `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

/** A new database with the tables, and a knex on it. */
export async function withTables(
  database: Database,
  options: Partial<Knex.Config> = {},
): Promise<{ readonly url: string; readonly knex: Knex }> {
  const url = await database.create();
  const knex = connect(url, options);
  await migrateTables(knex);
  return { url, knex };
}

/** Creates the tables in the database at `url`; a schema is created with them. */
export async function createTables(url: string, options: MigrateTablesOptions = {}): Promise<void> {
  const knex = openKnex(url);
  if (options.schema !== undefined) await knex.raw('CREATE SCHEMA IF NOT EXISTS ??', [options.schema]);
  await migrateTables(knex, options);
  await knex.destroy();
}

/** A knex as a user of this package has it, which ends with the test. */
export function connect(url: string | { readonly uri: string }, options: Partial<Knex.Config> = {}): Knex {
  const knex = openKnex(url, options);
  onTestFinished(() => knex.destroy());
  return knex;
}

/** The rows of what knex answers a raw query with, whatever the driver. */
export async function rowsOf(query: PromiseLike<unknown>): Promise<readonly Record<string, unknown>[]> {
  const answer = await query;
  if (!Array.isArray(answer)) return (answer as { readonly rows: readonly Record<string, unknown>[] }).rows;
  return (Array.isArray(answer[0]) ? answer[0] : answer) as readonly Record<string, unknown>[];
}
