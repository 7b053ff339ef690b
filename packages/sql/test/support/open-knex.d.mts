import type { Knex } from 'knex';

/**
 * A knex that the caller destroys, for a URL, or for more settings of mysql2 with its URL.
 * `library`: for SQLite.
 */
export function openKnex(
  connection: string | { readonly uri: string },
  options?: Partial<Knex.Config>,
  library?: unknown,
): Knex;
