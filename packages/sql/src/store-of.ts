import { misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { SqlClient } from './clients/client.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { LockStore } from './dialect/stores/lock-store.ts';
import type { PlainStore, PlainTable } from './dialect/stores/plain-store.ts';
import type { TableStore } from './dialect/stores/store.ts';
import type { ReadSqlOptions } from './options/provider-options.ts';
import type { TextTable } from './records/text-table.ts';

/** What a database keeps locks in. */
export type FoundStore =
  | { readonly kind: 'plain'; readonly plain: PlainStore; readonly store: TableStore }
  | { readonly kind: 'texts'; readonly texts: TextTable; readonly store: TableStore }
  | {
      readonly kind: 'routines';
      readonly routines: LockStore;
      /** What the tables call this process. */
      readonly process: string;
      readonly store: TableStore;
    };

/** The store of `dialect` that `options` ask for. @throws `LOCK_MISCONFIGURED` */
export function storeOf(dialect: Dialect, client: SqlClient, options: ReadSqlOptions, runtime: Runtime): FoundStore {
  if (!options.routines) {
    const plain = plainOf(dialect).createStore(client, { ...options, runtime });
    return { kind: 'plain', plain, store: plain };
  }
  const process = dialect.processName(runtime.uniqueId());
  const routines = dialect.createStore?.(client, { ...options, process, runtime });
  if (routines !== undefined) return { kind: 'routines', routines, process, store: routines };
  const texts = dialect.createTextTable!(client, { ...options, runtime });
  return { kind: 'texts', texts, store: texts };
}

/** The one table of `routines: false`. @throws `LOCK_MISCONFIGURED` */
export function plainOf({ name, plain }: Dialect): PlainTable {
  if (plain !== undefined) return plain;
  throw misconfigured('@locks/sql', `option "routines" is false, but ${name} has no routines; leave the option out`);
}
