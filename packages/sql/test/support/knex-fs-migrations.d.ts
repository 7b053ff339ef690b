// Knex ships no types for it.
declare module 'knex/lib/migrations/migrate/sources/fs-migrations.js' {
  import type { Knex } from 'knex';

  export class FsMigrations implements Knex.MigrationSource<unknown> {
    constructor(folders: string | readonly string[], sortFoldersSeparately: boolean, extensions?: readonly string[]);
    getMigrations(extensions: readonly string[]): Promise<unknown[]>;
    getMigrationName(migration: unknown): string;
    getMigration(migration: unknown): Promise<Knex.Migration>;
  }
}
