import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createSqlProvider } from '@locks/sql';
import Libsql from 'libsql';
import { openedOver } from './opened.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
  readonly file: string;
}

/** Locks over a `Database` of the application. */
export function open({ args }: OpenArguments): OpenedLocks {
  const { ttl, options, file } = args as unknown as Args;
  const database = new Libsql(file);
  return openedOver(createSqlProvider(database, options), ttl, () => database.close());
}
