import { misconfigured } from '@locks/core/adapter';
import type { Dialect } from '../dialect/dialect.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { mysql } from '../mysql/dialect.ts';
import { postgres } from '../postgres/dialect.ts';
import { sqlite } from '../sqlite/dialect.ts';

/** The supported databases: each is a folder, imported only here. */
const dialects: Readonly<Record<SqlClient['database'], Dialect>> = { postgres, mysql, sqlite };

/**
 * The dialect of the database behind `client`.
 * @throws `LOCK_MISCONFIGURED` for names that it does not allow.
 */
export function dialectOf({ database }: SqlClient, names: TableNames): Dialect {
  const dialect = dialects[database];
  dialect.checkNames?.(names);
  return dialect;
}

/**
 * The dialect of the scheme of `url`.
 * @throws `LOCK_MISCONFIGURED`, without quoting the URL, which may contain a password.
 */
export function dialectOfUrl(url: string | undefined): { readonly dialect: Dialect; readonly url: string } {
  if (url === undefined) {
    throw misconfigured(
      '@locks/sql',
      'option "url" is missing; write postgres://user:password@host/database, mysql://… or sqlite:./locks.db',
    );
  }
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? '';
  const dialect = Object.values(dialects).find(({ schemes }) => schemes.includes(scheme));
  if (dialect !== undefined) return { dialect, url };
  const known = Object.values(dialects)
    .flatMap(({ schemes }) => schemes)
    .join(', ');
  throw misconfigured('@locks/sql', `its URL must start with one of ${known}, not ${scheme || 'with no scheme'}`);
}
