import { statSync } from 'node:fs';
import { rendered } from '../dialect/layout/names.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { hostTime } from './host/clock.ts';
import { numberOf, textOf } from './connection/connection.ts';
import type { Database, Parameters, Row, Statement } from './connection/connection.ts';
import { FileReplaced, isBusy } from './connection/errors.ts';
import { statements } from './statements.ts';

/** The statements by name. */
export type StatementName = keyof typeof statements;

/** In µs: how long the process may only retry to begin. */
const longestSpin = 300;

/** One connection with its prepared statements, all synchronous. */
export class Session {
  /** The file; '' if none. */
  readonly path: string;
  readonly #database: Database;
  readonly #names: TableNames;
  readonly #prepared = new Map<StatementName, Statement>();
  readonly #identity: string | undefined;
  /** Whether its owner has set a busy timeout. */
  readonly #blocks: boolean;
  #persistence = longestSpin;

  constructor(database: Database, names: TableNames) {
    this.#database = database;
    this.#names = names;
    const files = database.prepare('PRAGMA database_list').all() as Row[];
    this.path = textOf(files.find(({ name }) => name === (names.schema ?? 'main'))?.['file']);
    this.#identity = identify(this.path);
    this.#blocks = this.#busyTimeout() > 0;
  }

  /** The rows that a statement returns. */
  rows(name: StatementName, parameters: Parameters = {}): readonly Row[] {
    return this.#prepare(name).all(parameters) as Row[];
  }

  /** The first of them. */
  row(name: StatementName, parameters?: Parameters): Row | undefined {
    return this.rows(name, parameters)[0];
  }

  /** Executes a statement without rows. Returns the number of changed rows. */
  run(name: StatementName, parameters: Parameters = {}): number {
    return numberOf((this.#prepare(name).run(parameters) as { readonly changes: unknown }).changes);
  }

  /** The answer to a PRAGMA. */
  pragma(name: string): unknown {
    const [row] = this.#database.prepare(`PRAGMA ${name}`).all() as Row[];
    return Object.values(row ?? {})[0];
  }

  /** SQLite's version. */
  version(): string {
    const [row] = this.#database.prepare('SELECT sqlite_version() AS version').all() as Row[];
    return textOf(row?.['version']);
  }

  /**
   * The result of `work`, in one write transaction. In libsql, a single statement that finds the
   * file busy stays open, and every later commit would fail.
   */
  write<T>(work: () => T): T {
    return this.#withoutBlocking(() => {
      this.#checkFile();
      this.#begin();
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    });
  }

  /** The result of `work`, which only reads. */
  read<T>(work: () => T): T {
    return this.#withoutBlocking(work);
  }

  #prepare(name: StatementName): Statement {
    let statement = this.#prepared.get(name);
    if (statement === undefined) {
      statement = this.#database.prepare(rendered(statements[name], this.#names, '"'));
      statement.setReadBigInts?.(true);
      this.#prepared.set(name, statement);
    }
    return statement;
  }

  /**
   * Other processes write for some 100 µs. Retrying immediately costs less than returning later,
   * unless it did not help the last time.
   */
  #begin(): void {
    const end = hostTime() + this.#persistence;
    for (;;) {
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        this.#persistence = longestSpin;
        return;
      } catch (error) {
        if (isBusy(error) && hostTime() < end) continue;
        this.#persistence = 0;
        throw error;
      }
    }
  }

  #rollback(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has done so already, as it does when the disk is full; the earlier error is
      // reported.
    }
  }

  /**
   * Waiting for other writers would block the process. The owner's setting is restored before other
   * code runs.
   */
  #withoutBlocking<T>(work: () => T): T {
    if (!this.#blocks) return work();
    const timeout = this.#busyTimeout();
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      return work();
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }

  #busyTimeout(): number {
    return numberOf(this.pragma('busy_timeout'));
  }

  /** SQLite continues in a deleted file, while others lock in its replacement. */
  #checkFile(): void {
    if (identify(this.path) !== this.#identity) throw new FileReplaced(this.path);
  }
}

function identify(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
