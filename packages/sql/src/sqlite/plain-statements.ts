// Written by scripts/embed-sql.mjs from sql/sqlite/plain/*.sql at each build. Change those.

/** The statements, with the default names of the tables. */
export const statements: Readonly<
  Record<
    | 'heldByOthers'
    | 'acquire'
    | 'renew'
    | 'release'
    | 'inspect'
    | 'list'
    | 'columns'
    | 'readHost'
    | 'voidHolds'
    | 'writeHost'
    | 'touchHost'
    | 'raiseRemoved'
    | 'removable'
    | 'remove'
    | 'table',
    string
  >
> = {
  heldByOthers: `SELECT 1 FROM "locks" WHERE key = :key AND owner <> :owner AND held_until > :now`,
  acquire: `INSERT INTO "locks"
VALUES (:key, max(:least, coalesce((SELECT version + 1 FROM "locks" WHERE key = ''), 0)), :owner, :until)
ON CONFLICT (key) DO UPDATE SET
version = CASE WHEN owner = :owner AND held_until > :now THEN version ELSE max(version + 1, :least) END,
owner = :owner,
held_until = :until
WHERE owner = :owner OR held_until IS NULL OR held_until <= :now
RETURNING version, version > 9007199254740992 AS ended`,
  renew: `UPDATE "locks" SET held_until = :until, version = coalesce(:token, version)
WHERE key = :key AND owner = :owner AND held_until > :now AND version <= coalesce(:token, version)
RETURNING version`,
  release: `UPDATE "locks" SET owner = NULL, held_until = NULL
WHERE key = :key AND owner = :owner AND held_until > :now
RETURNING version`,
  inspect: `SELECT owner, version, held_until FROM "locks" WHERE key = :key AND owner IS NOT NULL AND held_until > :now`,
  list: `SELECT key FROM "locks"
WHERE key > '' AND key >= :from
AND (:after IS NULL OR key > :after)
AND (:before IS NULL OR key < :before)
AND owner IS NOT NULL AND held_until > :now
ORDER BY key
LIMIT :limit`,
  columns: `SELECT group_concat(name || ' ' || lower(type), ', ') AS columns FROM pragma_table_info(:table)`,
  readHost: `SELECT owner, held_until FROM "locks" WHERE key = ''`,
  voidHolds: `UPDATE "locks" SET owner = NULL, held_until = NULL WHERE key > '' AND held_until IS NOT NULL`,
  writeHost: `INSERT INTO "locks" VALUES ('', 0, :boot, :now)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until`,
  touchHost: `UPDATE "locks" SET held_until = :now WHERE key = '' AND owner = 'unknown'`,
  raiseRemoved: `INSERT INTO "locks" VALUES ('', :older, NULL, NULL)
ON CONFLICT (key) DO UPDATE SET version = max(version, excluded.version)`,
  removable: `SELECT key FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to)
AND version < :older AND (held_until IS NULL OR held_until <= :now)
LIMIT 1`,
  remove: `DELETE FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to)
AND version < :older AND (held_until IS NULL OR held_until <= :now)
RETURNING key`,
  table: `CREATE TABLE "locks" (
key TEXT NOT NULL PRIMARY KEY,
version INTEGER NOT NULL,
owner TEXT,
held_until INTEGER
) WITHOUT ROWID`,
};
