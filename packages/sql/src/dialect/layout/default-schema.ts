import { misconfigured } from '@locks/core/adapter';
import type { TableNames } from './names.ts';

/**
 * Statements contain the names of the tables. If the user has set no schema (Postgres) or database
 * (MySQL), it is the one in which the first connection finds the tables. Other connections, and
 * this one later, may search elsewhere, where a key could be held a second time.
 */
export class DefaultSchema<Made> {
  /** With the configured names: without a schema, each connection uses its own. */
  readonly asConfigured: Made;
  readonly #make: (names: TableNames) => Made;
  #names: TableNames;
  #made: Made;

  constructor(names: TableNames, make: (names: TableNames) => Made) {
    this.#names = names;
    this.#make = make;
    this.asConfigured = make(names);
    this.#made = this.asConfigured;
  }

  /** The names of the tables, with their schema once known. */
  get names(): TableNames {
    return this.#names;
  }

  get made(): Made {
    return this.#made;
  }

  /**
   * Records where a new connection has found tables; `undefined`: nowhere.
   * @throws `LOCK_MISCONFIGURED` for other tables than those of the first connection.
   */
  found(schema: string | undefined): void {
    if (schema === undefined || this.#names.schema === schema) return;
    if (this.#names.schema !== undefined) {
      throw misconfigured(
        '@locks/sql',
        `connections of one pool find tables of the locks in "${this.#names.schema}" and in "${schema}", where a key could be held twice. Set option "schema" to one of them`,
      );
    }
    this.#names = { ...this.#names, schema };
    this.#made = this.#make(this.#names);
  }
}
