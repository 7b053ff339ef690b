import { existsSync } from 'node:fs';
import { misconfigured, pause } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Database, Row } from '../connection/connection.ts';
import { explain, isBusy, unusable } from '../connection/errors.ts';
import { whyNoFile } from '../connection/access.ts';

/** libsql's. */
export type DatabaseClass = new (path: string) => Database;

/**
 * The name of the attached file in a connection to a database in memory. libsql closes a database
 * only when its last statement is collected, but a detached file immediately.
 */
export const fileSchema = 'locks_file';

/** How files are opened. */
export interface OpenOptions {
  /** How long others may keep the file busy, in ms. */
  readonly patience: number;
  /** Whether a missing file is created. */
  readonly creates: boolean;
  readonly runtime: Runtime;
}

const missing = 'it does not exist; check its path, or open it with migrate=true, which creates it';

/**
 * Opens a file for locks, and creates it if `creates`. A new file has no tables, so another process
 * cannot use it. With a write-ahead log no reader delays a writer, not even a stopped one. The log
 * is not synchronized at each commit: a crash of a process loses nothing, and after a crash of the
 * host all holds are void, as they belong to an earlier boot. The clock in each token compensates
 * for tokens lost in a power failure.
 */
export async function openFile(Libsql: DatabaseClass, path: string, options: OpenOptions): Promise<Database> {
  const { patience, creates, runtime } = options;
  // SQLite only reports that it cannot open it, and would write to a device.
  const why = whyNoFile(path) ?? (creates || existsSync(path) ? undefined : missing);
  if (why !== undefined) throw unusable(path, why);
  const end = runtime.clock.now() + patience;
  for (;;) {
    let database: Database | undefined;
    try {
      database = new Libsql(':memory:');
      database.exec(`ATTACH '${path.replaceAll("'", "''")}' AS ${fileSchema}`);
      setUp(database, path);
      return database;
    } catch (error) {
      if (database !== undefined) closeFile(database);
      if (isOldLibrary(error))
        throw misconfigured(
          '@locks/sql',
          'the version of libsql that is installed is too old. Run: npm install libsql@latest',
        );
      if (isOtherEncoding(error)) throw unusable(path, 'its text is UTF-16; UTF-8 is needed', error);
      if (!isBusy(error) || runtime.clock.now() > end) throw explain(error, path, 'the opening of the file');
    }
    await pause(runtime, 1 + 9 * runtime.random());
  }
}

export function closeFile(database: Database): void {
  try {
    database.exec(`DETACH ${fileSchema}`);
  } catch {
    // It is not attached yet, or a statement failed in the middle: the collector ends it.
  }
  database.close();
}

function setUp(database: Database, path: string): void {
  const mode = (): unknown => (database.prepare(`PRAGMA ${fileSchema}.journal_mode`).all()[0] as Row)['journal_mode'];
  if (mode() !== 'wal') {
    database.exec(`PRAGMA ${fileSchema}.journal_mode = WAL`);
    if (mode() !== 'wal') throw unusable(path, 'its file system has no shared memory, which the write-ahead log needs');
  }
  database.exec(`PRAGMA ${fileSchema}.synchronous = NORMAL`);
}

/** libsql before 0.4 cannot execute a text with rows, such as a pragma. */
function isOldLibrary(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Execute returned rows');
}

/** The database in memory is UTF-8, and an attached file must match. */
function isOtherEncoding(error: unknown): boolean {
  return error instanceof Error && error.message.includes('same text encoding');
}
