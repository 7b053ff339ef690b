import { misconfigured } from '@locks/core/adapter';
import type { TableNames } from './names.ts';

/**
 * A store makes its statements of the names of the tables. Where the user has named no schema
 * (Postgres) or database (MySQL), it is that in which the first connection finds the tables. Other
 * connections, and this one later, may look elsewhere, where a key could be held a second time.
 */
export class DefaultSchema<Made> {
  /** With the names that the user has set: without a schema, each connection uses its own. */
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

  /** The names of the tables, with their schema as far as it is known. */
  get names(): TableNames {
    return this.#names;
  }

  get made(): Made {
    return this.#made;
  }

  /**
   * Notes where a new connection has found tables; `undefined`: nowhere.
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
