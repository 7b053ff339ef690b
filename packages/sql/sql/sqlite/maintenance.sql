-- The tables as a whole: their layout, the boot of the host that their times are of, and the sweep.

-- name: read-layout
-- The layout of the tables.
-- Returns its version, and the oldest one whose packages can use it.
SELECT version, readable_from FROM "locks_layout" ORDER BY version DESC LIMIT 1;

-- name: read-host
-- Of which boot the times are.
-- Returns the boot, '' when no process has used the tables yet.
SELECT boot FROM "locks_host";

-- name: last-touched
-- When a row was last written.
-- Returns the latest time, null in an empty table.
SELECT max(touched) AS touched FROM "locks";

-- name: write-boot
-- From now on times are of this boot.
-- :boot
-- Returns nothing.
UPDATE "locks_host" SET boot = :boot;

-- name: void-keys
-- After a boot no hold is left: its process has ended.
-- Returns nothing.
UPDATE "locks" SET owner = NULL, held_until = NULL, line_until = NULL, next_lapse = NULL, touched = 0
WHERE touched > 0;

-- name: void-shares
-- After a boot no share is left.
-- Returns nothing.
DELETE FROM "locks_shares";

-- name: void-line
-- After a boot no place is left.
-- Returns nothing.
DELETE FROM "locks_line";

-- name: sweep-stretch
-- How far one look of the sweep goes. A table may be long, and no other call can use the connection
-- meanwhile.
-- :after, :length
-- Returns the last key of the stretch; no row when it is the last one. Blobs are no keys.
SELECT key FROM "locks" WHERE key > :after AND key < x'' ORDER BY key LIMIT 1 OFFSET :length;

-- name: sweepable
-- Whether there is a row to sweep: a look that keeps no process from writing.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns a row when there is.
SELECT key FROM "locks"
WHERE key > :after
  AND (:to IS NULL OR key <= :to)
  AND version < :older
  AND (held_until IS NULL OR held_until <= :now)
  AND (line_until IS NULL OR line_until <= :now)
LIMIT 1;

-- name: sweep
-- Removes the rows of idle keys: of those after one key, up to another.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns the key and the version of each.
DELETE FROM "locks"
WHERE key > :after
  AND (:to IS NULL OR key <= :to)
  AND version < :older
  AND (held_until IS NULL OR held_until <= :now)
  AND (line_until IS NULL OR line_until <= :now)
RETURNING key, version;

-- name: sweep-shares
-- Removes the shares of keys that have no row, all of them expired.
-- :keys (a JSON array)
-- Returns nothing.
DELETE FROM "locks_shares" WHERE key IN (SELECT value FROM json_each(:keys));

-- name: sweep-line
-- Removes the places of keys that have no row, all of them lapsed.
-- :keys (a JSON array)
-- Returns nothing.
DELETE FROM "locks_line" WHERE key IN (SELECT value FROM json_each(:keys));

-- name: raise-swept
-- Keeps in mind what a new row's token must exceed.
-- :version
-- Returns nothing.
UPDATE "locks_host" SET swept = max(swept, :version);
