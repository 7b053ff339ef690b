import { resolve } from 'node:path';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import type { Database } from './connection/connection.ts';
import { Session } from './session.ts';

/** The sessions of one store: one for each connection. */
export class StoreSessions {
  readonly #names: TableNames;
  /** Weak: a connection that its pool has dropped is closed by the collector. */
  readonly #open = new WeakMap<Database, Session>();
  #path: string | undefined;

  constructor(names: TableNames, client: SqlClient) {
    this.#names = names;
    this.#path = pathOf(client);
  }

  /** The file, for messages: as a connection tells it, else as the pool is configured. */
  get path(): string | undefined {
    return this.#path;
  }

  /** The session of a new connection. */
  open(connection: Database): Session {
    const session = new Session(connection, this.#names);
    this.#open.set(connection, session);
    this.#path = session.path;
    return session;
  }

  /** The session of a connection that was opened. */
  of(connection: Database): Session {
    const session = this.#open.get(connection);
    if (session === undefined) throw new Error('A connection was used before it was checked.');
    return session;
  }
}

/** The file that the pool of `client` is configured for. */
export function pathOf({ file }: SqlClient): string | undefined {
  return file === undefined ? undefined : resolve(file);
}
