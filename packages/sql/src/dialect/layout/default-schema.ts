import { misconfigured } from '@locks/core/adapter';
import type { TableNames } from './names.ts';

/**
 * The schema (Postgres) or database (MySQL) of the tables, where the user has named none: that in
 * which the first connection finds them. Other connections, and this one later, may look elsewhere,
 * where a key could be held a second time.
 */
export class DefaultSchema {
  readonly #names: TableNames;
  #known: TableNames | undefined = undefined;

  constructor(names: TableNames) {
    this.#names = names;
  }

  /** The names of the tables, with their schema as far as it is known. */
  get names(): TableNames {
    return this.#known ?? this.#names;
  }

  /**
   * Notes where a new connection has found tables; `undefined`: nowhere.
   * @throws `LOCK_MISCONFIGURED` for other tables than those of the first connection.
   */
  found(schema: string | undefined): void {
    if (schema === undefined || this.names.schema === schema) return;
    if (this.names.schema !== undefined) {
      throw misconfigured(
        '@locks/sql',
        `connections of one pool find tables of the locks in "${this.names.schema}" and in "${schema}", where a key could be held twice. Set option "schema" to one of them`,
      );
    }
    this.#known = { ...this.#names, schema };
  }
}
