// Written by scripts/embed-sql.mjs from sql/mysql/*.sql; a test compares them. Change those and run it again.

/** The statements, with the default names of the tables. */
export const statements: Readonly<Record<never, string>> = {
};
