// Written by scripts/embed-sql.mjs from sql/sqlite/migrations/*.sql; a test compares them. Change those and run it again.

import type { Migration } from '../dialect/layout/migration.ts';

/** The migrations in their order, with the default names of the tables. */
export const migrations: readonly Migration[] = [
  {
    name: '0001-locks',
    up: [
      `CREATE TABLE IF NOT EXISTS "locks" (
  key TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  owner TEXT,
  held_until INTEGER
) WITHOUT ROWID`,
      `SELECT key, version, owner, held_until FROM "locks" WHERE 0`,
      `INSERT INTO "locks" SELECT NULL, NULL, NULL, NULL WHERE 0`,
      `ALTER TABLE "locks" ADD COLUMN line_until INTEGER`,
      `ALTER TABLE "locks" ADD COLUMN next_lapse INTEGER`,
      `ALTER TABLE "locks" ADD COLUMN touched INTEGER NOT NULL DEFAULT 0`,
      `UPDATE "locks" SET touched = 1 WHERE key > '' AND held_until IS NOT NULL`,
      `CREATE TABLE "locks_shares" (
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  permits INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (key, owner)
) WITHOUT ROWID`,
      `CREATE TABLE "locks_line" (
  key TEXT NOT NULL,
  place INTEGER NOT NULL,
  owner TEXT NOT NULL,
  process TEXT NOT NULL,
  permits INTEGER,
  seen INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  PRIMARY KEY (key, place),
  UNIQUE (key, owner)
) WITHOUT ROWID`,
      `CREATE TABLE "locks_fences" (
  resource TEXT NOT NULL PRIMARY KEY,
  token INTEGER NOT NULL
) WITHOUT ROWID`,
      `CREATE TABLE "locks_host" (
  boot TEXT NOT NULL,
  swept INTEGER NOT NULL
)`,
      `INSERT INTO "locks_host" (boot, swept)
SELECT coalesce(max(owner), ''), coalesce(max(version), 0) FROM "locks" WHERE key = ''`,
      `DELETE FROM "locks" WHERE key = ''`,
      `CREATE TABLE "locks_layout" (
  version INTEGER NOT NULL,
  readable_from INTEGER NOT NULL
)`,
      `INSERT INTO "locks_layout" (version, readable_from) VALUES (1, 1)`,
    ],
    down: [
      `DROP TABLE "locks_layout"`,
      `DROP TABLE "locks_host"`,
      `DROP TABLE "locks_fences"`,
      `DROP TABLE "locks_line"`,
      `DROP TABLE "locks_shares"`,
      `DROP TABLE "locks"`,
    ],
  },
];
