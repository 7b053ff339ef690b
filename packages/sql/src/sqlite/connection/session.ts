import { statSync } from 'node:fs';
import { rendered } from '../../dialect/names.ts';
import type { TableNames } from '../../dialect/names.ts';
import { hostTime } from '../host/clock.ts';
import { numberOf, textOf } from './connection.ts';
import type { Database, Parameters, Row, Statement } from './connection.ts';
import { FileReplaced, isBusy } from '../errors.ts';
import type { statements } from '../statements.ts';

/** The statements of the layout with routines by name. */
export type StatementName = keyof typeof statements;

/**
 * Transactions by connection: a change by the same connection is none to `PRAGMA data_version`, and
 * providers may share one.
 */
const commits = new WeakMap<Database, number>();

/** For so long the process may do nothing but try to begin, in µs. */
const longestSpin = 300;

/** One connection, with its prepared statements: all of it synchronous. */
export class Session<Name extends string = StatementName> {
  /** The file; '' when there is none. */
  readonly path: string;
  readonly #database: Database;
  readonly #names: TableNames;
  readonly #texts: Readonly<Record<Name, string>>;
  readonly #prepared = new Map<Name, Statement>();
  readonly #identity: string | undefined;
  /** Whether its owner has set a busy timeout. */
  readonly #blocks: boolean;
  #dataVersion: Statement | undefined = undefined;
  #persistence = longestSpin;

  constructor(database: Database, names: TableNames, texts: Readonly<Record<Name, string>>) {
    this.#database = database;
    this.#names = names;
    this.#texts = texts;
    const files = database.prepare('PRAGMA database_list').all() as Row[];
    this.path = textOf(files.find(({ name }) => name === (names.schema ?? 'main'))?.['file']);
    this.#identity = identify(this.path);
    this.#blocks = this.#busyTimeout() > 0;
  }

  /** The rows that a statement returns. */
  rows(name: Name, parameters: Parameters = {}): readonly Row[] {
    return this.#prepare(name).all(parameters) as Row[];
  }

  /** The first of them. */
  row(name: Name, parameters?: Parameters): Row | undefined {
    return this.rows(name, parameters)[0];
  }

  /** Executes a statement that returns nothing. */
  run(name: Name, parameters: Parameters = {}): void {
    this.#prepare(name).run(parameters);
  }

  /** What a PRAGMA answers. */
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
   * What `work` returns, in one transaction. It begins as one that writes. In libsql, a single
   * statement that finds the file busy stays open, and every later commit would fail.
   */
  write<T>(work: () => T): T {
    return this.#withoutBlocking(() => {
      this.#checkFile();
      this.#begin();
      try {
        const result = work();
        this.#database.exec('COMMIT');
        commits.set(this.#database, this.commits + 1);
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    });
  }

  /** What `work` returns, which only reads. */
  read<T>(work: () => T): T {
    return this.#withoutBlocking(work);
  }

  /** How many transactions were committed on this connection. */
  get commits(): number {
    return commits.get(this.#database) ?? 0;
  }

  /** Changes when another connection has written. */
  dataVersion(): number {
    // Prepared, it is read anew each time.
    this.#dataVersion ??= this.#database.prepare(`PRAGMA ${this.#names.schema ?? 'main'}.data_version`);
    return numberOf((this.#dataVersion.all()[0] as Row)['data_version']);
  }

  #prepare(name: Name): Statement {
    let statement = this.#prepared.get(name);
    if (statement === undefined) {
      statement = this.#database.prepare(rendered(this.#texts[name], this.#names, '"'));
      statement.setReadBigInts?.(true);
      this.#prepared.set(name, statement);
    }
    return statement;
  }

  /**
   * Other processes write for some 100 µs. To try again at once costs less than to come back later,
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
      // SQLite has done it already, as it does when the disk is full; what went wrong before is the
      // error to tell.
    }
  }

  /**
   * Waiting for other writers would stop the whole process. The owner's setting is back before
   * other code runs.
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

  /** SQLite goes on in a file that was deleted, while others lock in the one that replaced it. */
  #checkFile(): void {
    if (identify(this.path) !== this.#identity) throw new FileReplaced(this.path);
  }
}

function identify(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Ends a transaction that the user of `connection` has left open; its pool closes it. */
export function discard(connection: Database): void {
  try {
    // libsql would keep the transaction until the connection is collected.
    connection.exec('ROLLBACK');
  } catch {
    // There was none.
  }
}
