-- Ends a hold. The row stays, and with it the version.
-- $1 key, $2 owner, $3 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns a row if it was held.
UPDATE "locks" AS l SET owner = NULL, held_until = NULL
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
  AND ($3::text IS NULL OR set_config('lock_timeout', $3::text, true) IS NOT NULL)
RETURNING 1
