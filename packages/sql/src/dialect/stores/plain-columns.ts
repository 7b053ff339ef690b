import { misconfigured } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import type { TableNames } from '../names.ts';

/**
 * Refuses a table that is not the plain lock's: `found` has its columns with their types, `needed`
 * those of the plain lock. `otherwise`: why the database may hide a table that is there.
 * @throws `LOCK_MISCONFIGURED` that names the way out.
 */
export function checkColumns(found: string | undefined, needed: string, names: TableNames, otherwise = ''): void {
  if (found === needed) return;
  if (found === undefined) {
    throw misconfigured(
      '@locks/sql',
      `the table ${nameOf(names)} is missing${otherwise}. To create it, run sql/<database>/plain/table.sql, call migrateTables(client, { routines: false }), or open with migrate=true`,
    );
  }
  if (hasMore(found, needed)) throw routinesAdded(names);
  throw misconfigured(
    '@locks/sql',
    `the table ${nameOf(names)} has the columns (${found}); with option "routines" false it needs (${needed}). Set option "table" to another name`,
  );
}

/**
 * Looks at the table over each new connection of one store. A store that has used the table before
 * may meet it after its migration for routines. Then its acquires fail in the database; its
 * renewals and releases must go on.
 */
export class ColumnsCheck {
  readonly #needed: string;
  readonly #names: TableNames;
  #used = false;

  constructor(needed: string, names: TableNames) {
    this.#needed = needed;
    this.#names = names;
  }

  /**
   * Whether the table is still the plain lock's: `false` after its migration.
   * @throws `LOCK_MISCONFIGURED` as `checkColumns` does.
   */
  isPlain(found: string | undefined, otherwise?: string): boolean {
    if (this.#used && found !== undefined && hasMore(found, this.#needed)) return false;
    checkColumns(found, this.#needed, this.#names, otherwise);
    this.#used = true;
    return true;
  }
}

function hasMore(found: string, needed: string): boolean {
  return found.startsWith(`${needed}, `);
}

/** The error of a client without routines for a table that clients with routines use. */
export function routinesAdded(names: TableNames, cause?: unknown): LockError {
  return misconfigured(
    '@locks/sql',
    `option "routines" is false, but the table ${nameOf(names)} was migrated for routines. Leave the option out in all processes, or set option "table" to another name`,
    cause === undefined ? {} : { cause },
  );
}

function nameOf({ table, schema }: TableNames): string {
  return `"${schema === undefined ? '' : `${schema}.`}${table}"`;
}
