-- The calls of a provider with option routines=false, on the one table of four columns.

-- name: held-by-others
-- Whether another owner holds a key: a look that keeps no process from writing.
-- :key, :owner, :now
-- Returns a row if so.
SELECT 1 FROM "locks" WHERE key = :key AND owner <> :owner AND held_until > :now;

-- name: acquire
-- Takes a key that is free, or restarts the ttl of this owner's hold: one conditional write.
-- :key, :owner, :until (expiry), :now, :least (the least token)
-- Returns the token and whether it exceeds 2^53, where JavaScript's numbers end; or no row.
-- Without column names it fails once the table has more columns: then its keys are for clients with
-- routines.
INSERT INTO "locks"
VALUES (:key, max(:least, coalesce((SELECT version + 1 FROM "locks" WHERE key = ''), 0)), :owner, :until)
ON CONFLICT (key) DO UPDATE SET
  version = CASE WHEN owner = :owner AND held_until > :now THEN version ELSE max(version + 1, :least) END,
  owner = :owner,
  held_until = :until
WHERE owner = :owner OR held_until IS NULL OR held_until <= :now
RETURNING version, version > 9007199254740992 AS ended;

-- name: renew
-- Restarts the ttl of a hold, and raises its token.
-- :key, :owner, :until (expiry), :now, :token (or null)
-- Returns a row if it was held, by a token that is not higher.
UPDATE "locks" SET held_until = :until, version = coalesce(:token, version)
WHERE key = :key AND owner = :owner AND held_until > :now AND version <= coalesce(:token, version)
RETURNING version;

-- name: release
-- Ends a hold. The row stays, and with it the version.
-- :key, :owner, :now
-- Returns a row if it was held.
UPDATE "locks" SET owner = NULL, held_until = NULL
WHERE key = :key AND owner = :owner AND held_until > :now
RETURNING version;

-- name: inspect
-- The holder of a key.
-- :key, :now
-- Returns owner, version and held_until, or no row.
SELECT owner, version, held_until FROM "locks" WHERE key = :key AND owner IS NOT NULL AND held_until > :now;

-- name: list
-- Keys that are held, in the order of their bytes.
-- :from (the first that may be listed), :after (listed before, or null), :before (or null), :now,
-- :limit
-- Returns their names.
SELECT key FROM "locks"
WHERE key > '' AND key >= :from
  AND (:after IS NULL OR key > :after)
  AND (:before IS NULL OR key < :before)
  AND owner IS NOT NULL AND held_until > :now
ORDER BY key
LIMIT :limit;
