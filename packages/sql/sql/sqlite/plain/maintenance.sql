-- What a provider with option routines=false does besides: a look at each new connection, and the
-- sweep.

-- name: columns
-- The columns of a table with their types.
-- :table
-- Returns a row; its columns are null without the table.
SELECT group_concat(name || ' ' || lower(type), ', ') AS columns FROM pragma_table_info(:table);

-- name: read-host
-- Of which boot the times are, and where that is unknown, when a process wrote last.
-- Returns owner (the boot) and held_until, or no row when no process has used the table yet.
SELECT owner, held_until FROM "locks" WHERE key = '';

-- name: void-holds
-- After a boot no hold is left: its process has ended.
-- Returns nothing.
UPDATE "locks" SET owner = NULL, held_until = NULL WHERE key > '' AND held_until IS NOT NULL;

-- name: write-host
-- From now on times are of this boot.
-- :boot, :now
-- Returns nothing.
INSERT INTO "locks" VALUES ('', 0, :boot, :now)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until;

-- name: touch-host
-- Where a process could not tell the boot, notes when one wrote last.
-- :now
-- Returns nothing.
UPDATE "locks" SET held_until = :now WHERE key = '' AND owner = 'unknown';

-- name: raise-removed
-- Notes what every later token of a new row must exceed.
-- :older
-- Returns nothing.
INSERT INTO "locks" VALUES ('', :older, NULL, NULL)
ON CONFLICT (key) DO UPDATE SET version = max(version, excluded.version);

-- name: removable
-- Whether there is a row to remove: a look that keeps no process from writing.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns a row if so.
SELECT key FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to)
  AND version < :older AND (held_until IS NULL OR held_until <= :now)
LIMIT 1;

-- name: remove
-- Removes the rows of idle keys of a stretch.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns the key of each.
DELETE FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to)
  AND version < :older AND (held_until IS NULL OR held_until <= :now)
RETURNING key;
