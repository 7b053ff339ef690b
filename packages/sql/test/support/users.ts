import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { ownName } from './databases.ts';
import type { Database } from './databases.ts';

/** A user without rights, and the URL by which it logs in. */
export interface User {
  readonly user: string;
  readonly url: string;
}

/** Creates a user who may log in to the database at `url`, and goes with the test. */
export async function createUser({ name }: Database, admin: Knex, url: string, password = 'secret'): Promise<User> {
  const user = ownName();
  const [create, drop] =
    name === 'Postgres'
      ? [`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`, `DROP OWNED BY ${user}; DROP ROLE ${user}`]
      : [`CREATE USER ${user} IDENTIFIED BY '${password}'`, `DROP USER IF EXISTS ${user}`];
  await admin.raw(create);
  onTestFinished(() => admin.raw(drop));
  return { user, url: Object.assign(new URL(url), { username: user, password: encodeURIComponent(password) }).href };
}

/** The statements of a file of grants, for `user`. */
export async function grantsIn({ name }: Database, file: string, user: string): Promise<readonly string[]> {
  const folder = name === 'Postgres' ? 'postgres' : 'mysql';
  const text = await readFile(new URL(`../../sql/${folder}/${file}`, import.meta.url), 'utf8');
  const statements = text
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/(["`])app\1/g, user)
    .split(';');
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}
