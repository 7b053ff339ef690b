import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import type { Opening } from '@locks/conformance/nemesis';
import Libsql from 'libsql';
import { type FaultOf, type ListedTarget, type Running, list } from './listed.ts';

const ttl = 1_000;
const options = { timeout: 2_000, waiterTtl: 3_000 };

interface SqliteFile extends Running {
  readonly file: string;
}

const application = { adapters: ['sql'], modules: ['libsql'] } as const;

/** Runs statements over a separate connection, which waits for a lock as others do. */
function other({ file }: SqliteFile): Libsql.Database {
  const database = new Libsql(file);
  database.exec('PRAGMA busy_timeout = 3000');
  return database;
}

/** Statements that begin a fault, over a connection that lasts until its end. */
function statements(begin: string, end?: string): FaultOf<SqliteFile>['begin'] {
  return async (file) => {
    const database = other(file);
    try {
      database.exec(begin);
    } catch (error) {
      database.close();
      // Workers keep the file busy: then it does not happen.
      if ((error as NodeJS.ErrnoException).code === 'SQLITE_BUSY') return;
      throw error;
    }
    if (end === undefined) {
      database.close();
      return;
    }
    return async () => {
      database.exec(end);
      database.close();
    };
  };
}

const over =
  (client: string) =>
  ({ file }: SqliteFile): Opening => ({ module: 'sqlite', args: { client, file, ttl, options } });

const moment = { targets: 1, lasts: [0, 0] } as const;

const faults: Readonly<Record<string, FaultOf<SqliteFile>>> = {
  // Another program of the host writes for longer than a call may take.
  'file locked': { targets: 1, begin: statements('BEGIN EXCLUSIVE', 'COMMIT') },
  'read lock': { targets: 1, begin: statements('BEGIN; SELECT * FROM locks', 'COMMIT') },
  emptied: { ...moment, empties: true, weight: 0.5, begin: statements('DELETE FROM locks') },
  vacuum: { ...moment, begin: statements('VACUUM') },
  checkpoint: { ...moment, begin: statements('PRAGMA wal_checkpoint(TRUNCATE)') },
};

export const sqliteTargets: readonly ListedTarget[] = [
  list<SqliteFile>({
    name: 'sqlite',
    store: 'sqlite',
    topology: 'one file',
    ...application,
    fair: true,
    ttl,
    async start() {
      const folder = await mkdtemp(join(tmpdir(), 'locks-nemesis-sqlite-'));
      const file = join(folder, 'locks.db');
      const locks = await openLocks({ url: `sqlite:${file}`, options: { migrate: true } });
      await locks.close();
      return { file, stop: () => rm(folder, { recursive: true, force: true }) };
    },
    openings: {
      url: ({ file }) => ({
        args: { url: `sqlite:${file}`, ttl, options },
        settings: { pool: [1, 2], listen: [true, false], pollInterval: [5, 50] },
      }),
      libsql: over('libsql'),
      ...(isBuiltin('node:sqlite') && { 'node:sqlite': over('node:sqlite') }),
    },
    faults,
  }),
];
