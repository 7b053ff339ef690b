import type { Party, RetryOptions } from '../../subjects/party.ts';

/** The databases that are measured. */
export type Dialect = 'postgres' | 'mariadb' | 'sqlite';

export function dialectOf(url: string): Dialect {
  const { protocol } = new URL(url);
  if (protocol === 'sqlite:') return 'sqlite';
  return protocol === 'mysql:' ? 'mariadb' : 'postgres';
}

/** What a party works with. */
export interface SqlTarget extends RetryOptions {
  /** `postgres://…`, `mysql://…` or `sqlite:<file>`. */
  readonly url: string;
}

/** A party with connections of its own. */
export interface SqlParty extends Party {
  /** Gives up what is held or waited for, and disconnects. */
  close(): Promise<void>;
}

/** A lock library under measurement, with locks in a database. */
export interface SqlSubject {
  readonly name: string;
  open(target: SqlTarget): Promise<SqlParty>;
}

/** So many connections each party may have: the default of pg, mysql2, knex and `@locks`. */
export const connections = 10;
