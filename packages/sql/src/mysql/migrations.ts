// Written by scripts/embed-sql.mjs from sql/mysql/migrations/*.sql; a test compares them. Change those and run it again.

import type { Migration } from '../migration.ts';

/** The migrations in their order, with the default names of the tables. */
export const migrations: readonly Migration[] = [
];
