import type { Dialect } from './subjects/subject.ts';

/** What clients have sent to a database. */
export interface Statements {
  readonly count: number;
  /** Execution time of the server, without the commit; `undefined`: not measured. */
  readonly microseconds: number | undefined;
}

/** A database under measurement, seen from outside. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly url: string;
  readonly version: string;
  /**
   * What clients of the database have sent since the last `resetStatements`; `undefined`: not
   * counted.
   */
  statements(): Promise<Statements | undefined>;
  resetStatements(): Promise<void>;
  /** Lines of level ERROR or worse in the log of the server so far; `undefined`: no server. */
  severeLines(): Promise<number | undefined>;
  /** Resolves when no other client is connected, and all their log lines are written. */
  quiet(): Promise<void>;
}
