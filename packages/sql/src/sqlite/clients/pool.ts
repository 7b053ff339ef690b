import { resolve } from 'node:path';
import { misconfigured } from '@locks/core/adapter';
import type { SqlClient } from '../../dialect/pools/client.ts';
import { ConnectionPool } from '../../dialect/pools/connection-pool.ts';
import { importDriver } from '../../dialect/pools/import-driver.ts';
import type { OwnPool, OwnPoolParts } from '../../dialect/pools/own-pool.ts';
import type { TableNames } from '../../dialect/layout/names.ts';
import { discard } from '../connection/connection.ts';
import type { Database } from '../connection/connection.ts';
import { closeFile, fileSchema, openFile } from './open-file.ts';
import type { DatabaseClass } from './open-file.ts';

/**
 * Connections of libsql: it has the interface of better-sqlite3, and installs without a compiler.
 * @throws `LOCK_MISCONFIGURED` for a URL that names no file.
 */
export async function openPool({ url, options, names, runtime }: OwnPoolParts): Promise<OwnPool> {
  const path = readFilePath(url.slice(url.indexOf(':') + 1));
  checkNoSchema(names);
  const Libsql = (await importDriver('libsql', () => import('libsql'))) as unknown as DatabaseClass;
  const opening = { patience: options.connectTimeout, creates: options.creates, runtime };
  // SQLite is synchronous: a second connection of a process could only wait for the first.
  const max = options.pool ?? 1;
  const pool = new ConnectionPool<Database>({
    max,
    open: () => openFile(Libsql, path, opening),
    end: async (connection) => closeFile(connection),
  });
  const client: SqlClient<Database> = {
    database: 'sqlite',
    isTransaction: false,
    max,
    get ended() {
      return pool.closed;
    },
    file: path,
    acquire: () => pool.acquire(),
    acquireNow: () => pool.acquireNow(),
    release: (connection, broken) => pool.release(connection, broken),
    waiting: () => pool.waiting,
    opening: () => pool.opening,
    discard,
  };
  return {
    client,
    schema: fileSchema,
    async end() {
      await pool.close();
      await pool.empty();
    },
    destroy() {},
  };
}

/** @throws `LOCK_MISCONFIGURED` for a configured schema. */
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
      'a database in memory is visible to one connection only; write memory: for locks within one process, or the path of a file',
    );
  }
  try {
    return resolve(decodeURIComponent(path));
  } catch {
    throw misconfigured('@locks/sql', 'the path of its URL has a % that begins no escape; write %25 for it');
  }
}
