-- The texts of keys and registers, each with the version that a write compares. Core writes what is
-- in them. Times are ms of the host's clock.

-- name: read
-- A text.
-- :key
-- Returns version and record, or no row.
SELECT version, record FROM "locks" WHERE key = :key;

-- name: insert
-- The first text of a key.
-- :key, :version, :record, :written, :keepFor for how many ms it must stay, null for ever
-- Returns nothing. Changes no row if there is a text.
INSERT INTO "locks" (key, version, record, written, keep_for)
VALUES (:key, :version, :record, :written, :keepFor)
ON CONFLICT (key) DO NOTHING;

-- name: update
-- Another text, if the version is still the one that was seen.
-- :key, :version, :record, :written, :keepFor as in insert, :seen
-- Returns nothing. Changes no row otherwise.
UPDATE "locks" SET version = :version, record = :record, written = :written, keep_for = :keepFor
WHERE key = :key AND version = :seen;

-- name: list
-- Keys in the order of their bytes.
-- :from the first that may come, :after null or a key that comes no more, :before null or the first
-- that comes no more, :limit
-- Returns key.
SELECT key FROM "locks"
WHERE key >= :from AND (:after IS NULL OR key > :after) AND (:before IS NULL OR key < :before)
ORDER BY key
LIMIT :limit;

-- name: versions
-- What has changed of keys that claims wait for.
-- :keys a JSON array
-- Returns key and version of those that have a text.
SELECT key, version FROM "locks" WHERE key IN (SELECT value FROM json_each(:keys));
