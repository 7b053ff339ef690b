import { resolve } from 'node:path';
import type { SqlClient } from '../clients/client.ts';
import type { TableNames } from '../dialect/names.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import { textOf } from './connection/connection.ts';
import type { Database } from './connection/connection.ts';
import { hostTime } from './host/clock.ts';
import { successor } from './key/prefix.ts';
import { Session } from './connection/session.ts';

/** The sessions of one store: one for each connection. */
export class StoreSessions<Name extends string> {
  readonly #texts: Readonly<Record<Name | 'list', string>>;
  readonly #names: TableNames;
  /** Weak: a connection that its pool has dropped is closed by the collector. */
  readonly #open = new WeakMap<Database, Session<Name | 'list'>>();
  #path: string | undefined;

  constructor(texts: Readonly<Record<Name | 'list', string>>, names: TableNames, client: SqlClient) {
    this.#texts = texts;
    this.#names = names;
    this.#path = pathOf(client);
  }

  /** The file, for messages: as a connection tells it, else as the pool is configured. */
  get path(): string | undefined {
    return this.#path;
  }

  /** The session of a new connection. */
  open(connection: Database): Session<Name | 'list'> {
    const session = new Session(connection, this.#names, this.#texts);
    this.#open.set(connection, session);
    this.#path = session.path;
    return session;
  }

  /** The session of a connection that was opened. */
  of(connection: Database): Session<Name | 'list'> {
    const session = this.#open.get(connection);
    if (session === undefined) throw new Error('A connection was used before it was checked.');
    return session;
  }

  /** At most `limit` keys with this prefix, after the key `after`. */
  async list(connection: Database, prefix: string, after: string | undefined, limit: number): Promise<ListedKeys> {
    const session = this.of(connection);
    const range = { from: prefix, after: after ?? null, before: successor(prefix) ?? null };
    const rows = session.read(() => session.rows('list', { ...range, now: hostTime(), limit }));
    const keys = rows.map(({ key }) => textOf(key));
    return { keys, next: keys.length < limit ? undefined : keys.at(-1) };
  }
}

/** The file that the pool of `client` is configured for. */
export function pathOf({ file }: SqlClient): string | undefined {
  return file === undefined ? undefined : resolve(file);
}
