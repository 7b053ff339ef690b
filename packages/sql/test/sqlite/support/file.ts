import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import type { AdapterConfig } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { fromConfig } from '../../../src/index.ts';
import type { SqlConfigOptions } from '../../../src/index.ts';
import { migrations } from '../../../src/sqlite/migrations.ts';
import { plain } from '../../../src/sqlite/plain.ts';
import { hostTime } from '../../../src/sqlite/host/clock.ts';

/** A file of its own. */
export interface TestFile {
  readonly folder: string;
  readonly path: string;
  readonly url: string;
  /** Sees what is in it, over a connection of its own. */
  readonly observer: Libsql.Database;
  remove(): void;
}

/**
 * A new file with the tables, or with the one table of `routines: false`. `Database` looks at it: a
 * process must not open a file with two libraries.
 */
export function createFile(routines = true, Database: typeof Libsql = Libsql): TestFile {
  const folder = mkdtempSync(join(tmpdir(), 'locks-sqlite-'));
  const path = join(folder, 'locks.db');
  const observer = new Database(path);
  observer.exec('PRAGMA journal_mode = WAL');
  if (!routines) observer.exec(plain.create);
  else for (const { up } of migrations) for (const statement of up) observer.exec(statement);
  return {
    folder,
    path,
    url: `sqlite:${path}`,
    observer,
    remove() {
      observer.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The provider that `openLocks` would make. */
export async function openProvider(
  { url }: Pick<TestFile, 'url'>,
  options: SqlConfigOptions = {},
): Promise<LockProvider> {
  const config: AdapterConfig = { url, options: { ...options }, runtime: systemRuntime };
  return await fromConfig(config);
}

/**
 * What the tables say now of keys that are held or waited for. Lapsed rows go at the next use of
 * their key.
 */
export function countLive(
  { observer }: Pick<TestFile, 'observer'>,
  routines = true,
): Record<'held' | 'shares' | 'line', number> {
  const count = (table: string, condition: string): number => {
    const [row] = observer
      .prepare(`SELECT count(*) AS found FROM "${table}" WHERE ${condition}`)
      .all({ now: hostTime() });
    return (row as { found: number }).found;
  };
  return {
    held: count('locks', 'held_until > :now'),
    shares: routines ? count('locks_shares', 'expires > :now') : 0,
    line: routines ? count('locks_line', 'deadline > :now') : 0,
  };
}
