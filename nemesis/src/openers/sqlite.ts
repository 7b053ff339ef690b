import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createSqlProvider } from '@locks/sql';
import type { AnySqlClient } from '@locks/sql';
import Libsql from 'libsql';
import { openedOver } from './opened.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
  readonly client: 'libsql' | 'node:sqlite';
  readonly file: string;
}

type Database = AnySqlClient & { close(): unknown };

/** Of `node:sqlite`, which not every Node has. */
function builtin(file: string): Database {
  const sqlite = process.getBuiltinModule('node:sqlite') as unknown;
  const { DatabaseSync } = sqlite as { readonly DatabaseSync: new (file: string) => Database };
  return new DatabaseSync(file);
}

/** Locks over a `Database` of the application. */
export function open({ args }: OpenArguments): OpenedLocks {
  const { ttl, options, client, file } = args as unknown as Args;
  const database: Database = client === 'libsql' ? new Libsql(file) : builtin(file);
  return openedOver(createSqlProvider(database, options), ttl, () => database.close());
}
