import { closing } from '@locks/test-servers';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import Libsql from 'libsql';
import { afterAll } from 'vitest';
import { createSqlProvider } from '../../../src/index.ts';
import type { SqlConfigOptions } from '../../../src/index.ts';
import type { Database } from '../../../src/sqlite/connection/connection.ts';
import { openKnex } from '../../support/open-knex.mjs';
import type { Chosen } from '../../../../conformance/test/support/selection.ts';
import { openDescriptors } from './descriptors.ts';
import { countLive, createFile, openProvider } from './file.ts';
import type { TestFile } from './file.ts';

/** Makes the provider on a file. */
export type Make = (file: TestFile, options: SqlConfigOptions) => LockProvider | Promise<LockProvider>;

/** With connections that come from configuration. */
export const configured: Make = openProvider;

/**
 * With a knex of the caller, which has set nothing but a busy timeout: it stops the process while
 * other processes write.
 */
export const ofCaller: Make = ({ url }, options) => {
  const afterCreate = (connection: Database, done: (error: null, connection: Database) => void): void => {
    connection.exec('PRAGMA busy_timeout = 5000');
    done(null, connection);
  };
  const knex = openKnex(url, { pool: { afterCreate } });
  return closing(createSqlProvider(knex, options), () => knex.destroy());
};

/** With the one `Database` of libsql that a caller has. */
export const ofLibsql: Make = ({ path }, options) => {
  const database = new Libsql(path);
  return closing(createSqlProvider(database, options), () => database.close());
};

/** Where a suite is not run with libsql. */
export interface Library {
  /** Its class, which looks at the file too. */
  readonly Database: typeof Libsql;
  /** Where its module is, for other processes. */
  readonly path: string;
}

/** Registers the suite on a file of its own: all of it, or those that `only` chooses. */
export function suite(name: string, make: Make, options: SqlConfigOptions, only?: Chosen, library?: Library): void {
  const file = createFile(library?.Database);
  afterAll(() => file.remove());
  // Positions in the queue that last shorter than by default: several requirements wait for one to
  // lapse.
  const all = { timeout: 2_000, waiterTtl: 3_000, ...options };
  conformanceTests({
    name,
    create: () => make(file, all),
    createOther: () => make(file, { ...all, waiterTtl: 600 }),
    processes: {
      module: new URL('process.mjs', import.meta.url),
      args: { url: file.url, caller: make === ofCaller, library: library?.path, ...all },
    },
    leaks: async () => ({
      ...countLive(file),
      // libsql closes what its owner has closed when the collector comes.
      ...(make === ofLibsql ? {} : { connections: await openDescriptors(file.folder) }),
    }),
    only,
  });
}
