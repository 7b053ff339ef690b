import type { Check } from '@locks/core/adapter';
import type { Row } from './layout/sql-session.ts';

/** An examined database. */
export interface Examined {
  /** The rows of a statement, whose bindings replace `?`. Errors are the driver's. */
  readonly rows: (sql: string, ...bindings: readonly unknown[]) => Promise<readonly Row[]>;
  /** The file of SQLite. */
  readonly file: string;
}

/** The checks of one kind of database. */
export interface DialectDiagnosis {
  readonly checks: readonly Check<Examined>[];
  /** Identifies the server. Rejects if the user has no right to ask. */
  readonly identity: (database: Examined) => Promise<string>;
}
