import { checkRegister } from '@locks/core/adapter';
import type { KeyState, RegisterChange } from '@locks/core';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import type { Store } from '../dialect/stores/store.ts';
import { TableCalls } from './table-calls.ts';
import type { TableCallsParts } from './table-calls.ts';

/** How many keys one statement of a list reads. More take longer, fewer need more statements. */
const listedTogether = 1_000;

/** What the calls of a provider are made of. */
export interface StoreCallsParts extends TableCallsParts {
  readonly store: Store;
}

/** The calls of one provider to a store that keeps holds in columns. */
export class StoreCalls extends TableCalls {
  readonly #store: Store;

  constructor(parts: StoreCallsParts) {
    super(parts);
    this.#store = parts.store;
  }

  async inspect(key: string): Promise<KeyState> {
    return await this.run((connection) => this.#store.inspect(connection, key), { what: 'an inspection', first: true });
  }

  /** The text of a register, after `change`. */
  async register(name: string, change: RegisterChange | undefined): Promise<string | undefined> {
    checkRegister(name, change);
    const differs = change !== undefined && change.from !== change.to;
    const work = async (connection: unknown): Promise<string | undefined> => {
      for (;;) {
        if (differs && (await this.#store.changeRegister(connection, name, change))) return change.to;
        const text = await this.#store.readRegister(connection, name);
        // It may have become what it must be since.
        if (!differs || text !== change.from) return text;
      }
    };
    return await this.run(work, { what: 'a register' });
  }

  /** In the order of their bytes. A key that is held or waited for throughout is listed. */
  async *list(prefix: string): AsyncIterable<string> {
    let after: string | undefined;
    do {
      const last = after;
      const read = (connection: unknown): Promise<ListedKeys> =>
        this.#store.list(connection, prefix, last, listedTogether);
      const { keys, next } = await this.run(read, { what: 'a list' });
      yield* keys;
      after = next;
    } while (after !== undefined);
  }
}
