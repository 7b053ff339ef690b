import { misconfigured } from '@locks/core/adapter';
import type { Dialect } from './dialect/dialect.ts';
import type { KnexInstance } from './dialect/knex.ts';
import type { TableNames } from './dialect/names.ts';
import { mysql } from './mysql/dialect.ts';
import { postgres } from './postgres/dialect.ts';
import { sqlite } from './sqlite/dialect.ts';

/** The databases that this package knows: each is a folder, named here only. */
const dialects: readonly Dialect[] = [postgres, mysql, sqlite];

/**
 * The dialect of the database that `knex` talks to.
 * @throws `LOCK_MISCONFIGURED` for anything that is not a knex of a known database, and for names
 * that it cannot have.
 */
export function dialectOf(knex: KnexInstance, names: TableNames): Dialect {
  const client = knex?.client;
  if (typeof client?.acquireConnection !== 'function' || typeof client.releaseConnection !== 'function') {
    throw misconfigured(
      '@locks/sql',
      'it needs a knex instance: createSqlProvider(knex({ client: "pg", connection: url }))',
    );
  }
  const dialect = dialects.find(({ driver }) => driver.client === client.driverName);
  if (dialect === undefined) {
    const known = dialects.map(({ driver }) => driver.client).join(', ');
    throw misconfigured('@locks/sql', `it works with the knex clients ${known}, not with "${client.driverName}"`);
  }
  dialect.checkNames(names);
  return dialect;
}

/**
 * The dialect that the scheme of `url` names.
 * @throws `LOCK_MISCONFIGURED` without the URL, which may have a password in it.
 */
export function dialectOfUrl(url: string | undefined): { readonly dialect: Dialect; readonly url: string } {
  if (url === undefined) {
    throw misconfigured(
      '@locks/sql',
      'option "url" is missing; write postgres://user:password@host/database, mysql://… or sqlite:./locks.db',
    );
  }
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? '';
  const dialect = dialects.find(({ schemes }) => schemes.includes(scheme));
  if (dialect !== undefined) return { dialect, url };
  const known = dialects.flatMap(({ schemes }) => schemes).join(', ');
  throw misconfigured('@locks/sql', `its URL must start with one of ${known}, not ${scheme || 'with no scheme'}`);
}
