-- The row of a key: its holder, the end of its holds, and the end of the places in its line.

-- name: acquire-free
-- Takes the key if it is free and no claim is in line; restarts the ttl if this owner holds it
-- exclusively, unless it was given the key in line, and no call of it had that. It does nothing
-- where shares or places have lapsed: a transaction clears these.
-- Tokens end at 2^53, where JavaScript's numbers do.
-- :key, :owner, :until (expiry), :now, :least (the least token)
-- Returns the fencing token; no row when a transaction must decide.
INSERT INTO "locks" (key, version, owner, held_until, touched)
VALUES (:key, max(:least, (SELECT swept + 1 FROM "locks_host")), :owner, :until, :now)
ON CONFLICT (key) DO UPDATE SET
  version = CASE WHEN owner = :owner AND held_until > :now THEN version ELSE max(version + 1, :least) END,
  owner = :owner,
  held_until = :until,
  assigned_to = NULL,
  touched = :now
WHERE (owner = :owner AND held_until > :now AND assigned_to IS NOT :owner)
  OR (version < 9007199254740992 AND line_until IS NULL AND (held_until IS NULL OR (owner IS NOT NULL AND held_until <= :now)))
RETURNING version;

-- name: renew-held
-- Restarts the ttl of an exclusive hold, and raises its token. Not where it would end earlier than
-- the head of a line was told.
-- :key, :owner, :until (expiry), :now, :token (or null)
-- Returns a row when it did.
UPDATE "locks" SET
  held_until = :until,
  version = coalesce(:token, version),
  touched = :now
WHERE key = :key AND owner = :owner AND held_until > :now AND version <= coalesce(:token, version)
  AND assigned_to IS NOT :owner
  AND (line_until IS NULL OR held_until <= :until)
RETURNING version;

-- name: release-held
-- Frees an exclusive hold if the line is empty.
-- :key, :owner, :now
-- Returns a row when it did.
UPDATE "locks" SET owner = NULL, held_until = NULL, touched = :now
WHERE key = :key AND owner = :owner AND held_until > :now AND line_until IS NULL
RETURNING version;

-- name: read-key
-- The row of a key.
-- :key
-- Returns its version, owner, held_until, assigned_to, line_until and next_lapse.
SELECT version, owner, held_until, assigned_to, line_until, next_lapse FROM "locks" WHERE key = :key;

-- name: read-swept
-- What a new row's token must exceed.
-- Returns the highest version that was removed.
SELECT swept FROM "locks_host";

-- name: write-key
-- Writes the row of a key.
-- :key, :version, :owner, :held_until, :assigned_to, :line_until, :next_lapse, :now
-- Returns nothing.
INSERT INTO "locks" (key, version, owner, held_until, assigned_to, line_until, next_lapse, touched)
VALUES (:key, :version, :owner, :held_until, :assigned_to, :line_until, :next_lapse, :now)
ON CONFLICT (key) DO UPDATE SET
  version = excluded.version,
  owner = excluded.owner,
  held_until = excluded.held_until,
  assigned_to = excluded.assigned_to,
  line_until = excluded.line_until,
  next_lapse = excluded.next_lapse,
  touched = excluded.touched;

-- name: inspect
-- The holders of a key, the earliest token first, and the claims that wait.
-- :key, :now
-- Returns mode, owner, permits, token, expires. See src/dialect/stores/key-state.ts.
SELECT 'exclusive' AS mode, owner, NULL AS permits, version AS token, held_until AS expires
FROM "locks" WHERE key = :key AND owner IS NOT NULL AND held_until > :now
UNION ALL
SELECT 'shared', owner, permits, token, expires FROM "locks_shares" WHERE key = :key AND expires > :now
UNION ALL
SELECT 'waiters', NULL, NULL, count(*), NULL FROM "locks_line" WHERE key = :key AND deadline > :now
UNION ALL
SELECT * FROM (
  SELECT CASE WHEN permits IS NULL THEN 'exclusive waiter' ELSE 'shared waiter' END, owner, permits, place, NULL
  FROM "locks_line" WHERE key = :key AND deadline > :now ORDER BY place LIMIT 100
)
ORDER BY token;

-- name: list
-- Keys that are held or waited for, in the order of their bytes.
-- :from (the first that may be listed), :after (listed before, or null), :before (or null), :now,
-- :limit
-- Returns their names.
SELECT key FROM "locks" AS record
WHERE key >= :from
  AND (:after IS NULL OR key > :after)
  AND (:before IS NULL OR key < :before)
  AND (
    (owner IS NOT NULL AND held_until > :now)
    OR (held_until > :now AND EXISTS (SELECT 1 FROM "locks_shares" WHERE key = record.key AND expires > :now))
    OR (line_until > :now AND EXISTS (SELECT 1 FROM "locks_line" WHERE key = record.key AND deadline > :now))
  )
ORDER BY key
LIMIT :limit;
