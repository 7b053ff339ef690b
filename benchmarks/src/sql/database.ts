import type { Dialect } from './subjects/subject.ts';

/** What clients have sent to a database. */
export interface Statements {
  readonly count: number;
  /**
   * Time that the server took to execute them, without the commit; `undefined` where it is
   * not measured.
   */
  readonly microseconds: number | undefined;
}

/** A database that parties are measured in, seen from outside. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly url: string;
  readonly version: string;
  /**
   * What the clients of the database have sent since the last `resetStatements`; `undefined` where
   * they are not counted.
   */
  statements(): Promise<Statements | undefined>;
  resetStatements(): Promise<void>;
  /**
   * Lines of level ERROR or worse in the log of the server so far; `undefined` where there is no
   * server.
   */
  severeLines(): Promise<number | undefined>;
  /**
   * Resolves when no other client is connected. All that their ends leave in the log is there then.
   */
  quiet(): Promise<void>;
}
