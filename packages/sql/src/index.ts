export { fromConfig } from './config.ts';
export type { SqlConfigOptions } from './config-options.ts';
export { createSqlProvider } from './create-provider.ts';
export { migrate } from './migrate.ts';
export type { KnexClient, KnexInstance } from './knex.ts';
export type { SqlOptions, TableOptions } from './options.ts';
