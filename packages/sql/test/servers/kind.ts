import type { ServerHandle } from '@locks/test-servers';
import type { Session } from './sessions.ts';

/** What the tests that hold for every database server have to know of one of them. */
export interface Kind {
  /** What knex calls its driver. */
  readonly client: 'pg' | 'mysql2';
  /** Starts a server of the caller's own, with more settings in the words of its command line. */
  startServer(...settings: readonly string[]): Promise<ServerHandle>;
  /** A connection that ends with the test. */
  connect(url: string): Promise<Session>;
  /** Calls `work` with a connection of its own. */
  withClient<T>(url: string, work: (client: Session) => Promise<T>): Promise<T>;
  /** The query for the row of the key that is its value: what a call could have changed in it. */
  readonly selectRow: string;
  /** The connections of the server that wait for a row, since `atLeast` ms at least. */
  blocked(url: string, atLeast?: number): Promise<readonly number[]>;
}
