-- Restarts the ttl of an exclusive hold. After a wait for a row that was locked and left as it was, it counts from before the wait: the
-- call was sent earlier still.
-- $1 key, $2 owner, $3 ttl (ms), $4 NULL or its token from now on, $5 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns a row if it was held.
UPDATE "locks" AS l
SET held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
  version = greatest(l.version, $4::bigint)
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
  AND ($4::bigint IS NULL OR l.version <= $4::bigint)
  AND ($5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL)
RETURNING 1
