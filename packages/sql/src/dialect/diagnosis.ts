import type { Check } from '@locks/core/adapter';
import type { Row } from './layout/sql-session.ts';

/** A database that is looked at. */
export interface Examined {
  /** The rows of a statement, whose bindings stand where it has `?`. Errors are the driver's. */
  readonly rows: (sql: string, ...bindings: readonly unknown[]) => Promise<readonly Row[]>;
  /** The file of SQLite. */
  readonly file: string;
}

/** The questions to one kind of database. */
export interface DialectDiagnosis {
  readonly checks: readonly Check<Examined>[];
  /** What no other server has. Rejects where the user may not ask. */
  readonly identity: (database: Examined) => Promise<string>;
}
