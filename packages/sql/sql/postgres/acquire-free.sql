-- Takes a key exclusively if it is free and nobody is in line, or restarts the ttl of this owner's hold: decided by the key row alone,
-- by the time after it was locked.
-- $1 key, $2 owner, $3 ttl (ms), $4 the token must exceed this, $5 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns the token, or no row. Fails with state LK001 for a new row whose token the sweep may have removed: for the routine to take.
INSERT INTO "locks" AS l (key, version, owner, held_until)
SELECT $1::bytea, greatest($4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), $2::text,
  clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE $5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL
ON CONFLICT (key) DO UPDATE SET
  version = CASE
    WHEN l.owner = $2 AND l.held_until > clock_timestamp() THEN l.version
    ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
  END,
  owner = $2,
  held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
  shares = 0
WHERE l.owner = $2 AND l.held_until > clock_timestamp()
  OR (l.held_until IS NULL OR l.held_until <= clock_timestamp())
    AND (l.line_until IS NULL OR l.line_until <= clock_timestamp())
RETURNING l.version, CASE WHEN l.xmax = 0 THEN "locks_check_new"(l.version) END
