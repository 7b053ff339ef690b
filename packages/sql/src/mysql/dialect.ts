import type { Dialect, DialectOptions } from '../dialect.ts';
import type { KnexClient } from '../knex.ts';

export function createDialect(_client: KnexClient, _options: DialectOptions): Dialect {
  throw new Error('not written yet');
}
