import { misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { LockStore } from '../dialect/stores/lock-store.ts';
import type { ReadSqlOptions } from '../options/provider-options.ts';
import type { TextTable, TextTableKind } from '../dialect/stores/text-table.ts';

/** How a database stores locks: tables with routines, or a table of texts. */
export type FoundStore =
  | { readonly routines: true; readonly store: LockStore }
  | { readonly routines: false; readonly store: TextTable };

/** The store of `dialect` for `options`. @throws `LOCK_MISCONFIGURED` */
export function storeOf(dialect: Dialect, client: SqlClient, options: ReadSqlOptions, runtime: Runtime): FoundStore {
  if (!options.routines) textsOf(dialect);
  const store = options.routines ? dialect.createStore?.(client, { ...options, runtime }) : undefined;
  if (store !== undefined) return { routines: true, store };
  return { routines: false, store: dialect.texts.createTable(client, { ...options, runtime }) };
}

/**
 * The one table of `routines: false`. @throws `LOCK_MISCONFIGURED` if the database has no routines.
 */
export function textsOf({ name, texts }: Dialect): TextTableKind & NonNullable<TextTableKind['instead']> {
  if (texts.instead !== undefined) return { ...texts, ...texts.instead };
  throw misconfigured(
    '@locks/sql',
    `option "routines" is false, but ${name} has no stored routines; leave the option out`,
  );
}
