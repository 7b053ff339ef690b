import { misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { TableNames } from '../../dialect/names.ts';
import type { ClientClass, ConnectionOptions, PoolConfig } from '../../dialect/pools/pool-config.ts';
import { fileSchema, withLibsql } from '../file/driver.ts';
import type { DatabaseClass, SqliteClientClass } from '../file/driver.ts';

/** A pool of connections of libsql. @throws `LOCK_MISCONFIGURED` for a URL that names no file. */
export function poolConfig(url: string, options: ConnectionOptions, names: TableNames, runtime: Runtime): PoolConfig {
  const filename = readFilePath(url.slice(url.indexOf(':') + 1));
  checkNoSchema(names);
  const client = (base: ClientClass, driver: unknown): ClientClass =>
    withLibsql(base as SqliteClientClass, driver as DatabaseClass, {
      patience: options.connectTimeout,
      creates: options.creates,
      runtime,
    });
  return {
    client,
    // What SQLite does it does at once: a second connection of a process could only wait for the
    // first.
    max: options.pool ?? 1,
    connection: { filename },
    schema: fileSchema,
  };
}

/** Refuses a schema of the user's. @throws `LOCK_MISCONFIGURED` */
export function checkNoSchema({ schema }: TableNames): void {
  if (schema === undefined || schema === fileSchema) return;
  throw misconfigured(
    '@locks/sql',
    `option "schema" is "${schema}", but SQLite has no schemas; leave it out, and name the tables by option "table"`,
  );
}

/** `./a`, `/a`, `///a`; on Windows `C:\a` and `///C:/a` too. */
function readFilePath(rest: string): string {
  const path = rest.replace(/^\/\/(?=\/)/, '').replace(/^\/(?=[a-z]:[\\/])/i, '');
  if (path === '' || path.startsWith('//')) {
    throw misconfigured(
      '@locks/sql',
      'its URL names no file; write sqlite:./locks.db, sqlite:/var/lib/app/locks.db or sqlite:///var/lib/app/locks.db',
    );
  }
  if (path === ':memory:') {
    throw misconfigured(
      '@locks/sql',
      'a database in memory is seen by one connection alone; write memory: for locks within one process, or the path of a file',
    );
  }
  try {
    return decodeURIComponent(path);
  } catch {
    throw misconfigured('@locks/sql', 'the path of its URL has a % that begins no escape; write %25 for it');
  }
}
