import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'libsql';
import type { Database } from './database.ts';

/** A file of its own. */
export async function openSqlite(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-bench-'));
  const row = new Sqlite(':memory:').prepare('SELECT sqlite_version() AS version').get() as { version: string };
  return {
    dialect: 'sqlite',
    url: `sqlite:${join(folder, 'locks.db')}`,
    version: row.version,
    statements: async () => undefined,
    resetStatements: async () => {},
    severeLines: async () => undefined,
    quiet: async () => {},
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
