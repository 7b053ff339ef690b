-- Registers: a short text under a name, which lasts until a client changes it. Each is a row that
-- is no key's. Its key is the byte 254, which UTF-8 does not have, and the name. Its owner is the
-- text, and it is not held. No version is higher than that of a row with a text, so no sweep
-- removes it.

-- name: read-register
-- The text of a register.
-- $1 key
-- Returns the text, or no row.
SELECT l.owner FROM "locks" AS l WHERE l.key = $1::bytea AND l.owner IS NOT NULL

-- name: make-register
-- Gives a text to a register that has none.
-- $1 key, $2 text, $3 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns a row if it was done.
INSERT INTO "locks" AS l (key, version, owner)
SELECT $1::bytea, 9223372036854775807, $2::text
WHERE $3::text IS NULL OR set_config('lock_timeout', $3::text, true) IS NOT NULL
ON CONFLICT (key) DO UPDATE SET version = excluded.version, owner = excluded.owner
WHERE l.owner IS NULL
RETURNING 1

-- name: change-register
-- Changes the text of a register. A row without a text is left for the sweep.
-- $1 key, $2 the text that it must have, $3 the text that it gets, or NULL, $4 longest wait for the
-- row (ms; NULL: the connection's own limit)
-- Returns a row if it was done.
UPDATE "locks" AS l
SET version = CASE WHEN $3::text IS NULL THEN 0 ELSE 9223372036854775807 END, owner = $3::text
WHERE l.key = $1::bytea AND l.owner = $2::text
  AND ($4::text IS NULL OR set_config('lock_timeout', $4::text, true) IS NOT NULL)
RETURNING 1
