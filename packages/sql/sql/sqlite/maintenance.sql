-- The tables as a whole: their layout, the boot of the host that their times are of, and the sweep.

-- name: read-layout
-- The layout of the tables.
-- Returns its version, and the oldest one whose packages can use it.
SELECT version, readable_from FROM "locks_layout" ORDER BY version DESC LIMIT 1;

-- name: read-host
-- Of which boot the times are.
-- Returns the boot, '' when no process has used the tables yet.
SELECT boot FROM "locks_host";

-- name: last-written
-- When a text was last written.
-- Returns the latest time, null in an empty table.
SELECT max(written) AS written FROM "locks";

-- name: write-boot
-- From now on times are of this boot.
-- :boot
-- Returns nothing.
UPDATE "locks_host" SET boot = :boot;

-- name: all-keys
-- The texts of all keys.
-- Returns key and record.
SELECT key, record FROM "locks" WHERE key >= 'key:' AND key < 'key;';

-- name: rewrite
-- Gives a key a text under a version that no other text has, at a time.
-- :key, :record, :now
-- Returns nothing.
UPDATE "locks" SET version = hex(randomblob(16)), record = :record, written = :now WHERE key = :key;

-- name: sweep-stretch
-- The last of the next rows, which ends one stretch of a sweep.
-- :after the key before, :length how many rows lie between them
-- Returns key, or no row where fewer are left.
SELECT key FROM "locks" WHERE key > :after ORDER BY key LIMIT 1 OFFSET :length;

-- name: sweepable
-- Whether a stretch has a text that may go: most have none, and a write keeps others waiting.
-- :after, :to the last key, or null for all, :before texts that could go before this time
-- Returns a row if there is one.
SELECT 1 FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to) AND written + keep_for < :before
LIMIT 1;

-- name: sweep
-- Removes those texts.
-- :after, :to, :before
-- Returns nothing.
DELETE FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to) AND written + keep_for < :before;
