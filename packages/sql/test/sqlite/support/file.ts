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
 * A new file with the tables. `Database` looks at it: a process must not open a file with two
 * libraries.
 */
export function createFile(Database: typeof Libsql = Libsql): TestFile {
  const folder = mkdtempSync(join(tmpdir(), 'locks-sqlite-'));
  const path = join(folder, 'locks.db');
  const observer = new Database(path);
  observer.exec('PRAGMA journal_mode = WAL');
  for (const { up } of migrations) for (const statement of up) observer.exec(statement);
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

/** When an entry of a text ends, in ms of the host's clock. */
const endOf = (entry: readonly unknown[]): number => Number(entry.at(-1));

/**
 * What the texts say now of keys that are held or waited for. Lapsed entries go at the next use of
 * their key.
 */
export function countLive({ observer }: Pick<TestFile, 'observer'>): Record<'held' | 'queue', number> {
  const now = hostTime() / 1_000;
  const rows = observer.prepare(`SELECT record FROM "locks" WHERE key LIKE 'key:%'`).all() as { record: string }[];
  const texts = rows.map(({ record }) => JSON.parse(record) as readonly (readonly unknown[][])[]);
  const live = (entries: readonly unknown[][]): number => entries.filter((entry) => endOf(entry) > now).length;
  const sum = (part: 4 | 5): number => texts.reduce((all, text) => all + live(text[part] ?? []), 0);
  return { held: sum(4), queue: sum(5) };
}
