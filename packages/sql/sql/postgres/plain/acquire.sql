-- Takes a key that is free, or restarts the ttl of this owner's hold: one conditional write. The first condition keeps an attempt that
-- comes too early from writing at all; the last one decides, after the row was locked.
-- $1 key, $2 owner, $3 ttl (ms), $4 the token must exceed this, $5 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns the token, or no row. The cast fails once the table has more columns: then its keys are for clients with routines.
INSERT INTO "locks" AS l (key, version, owner, held_until)
SELECT $1::bytea,
  greatest(
    $4::bigint + 1,
    (SELECT removed.version + 1 FROM "locks" AS removed WHERE removed.key = '\xff'::bytea),
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  ),
  $2::text, clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE NOT EXISTS (SELECT FROM "locks" AS h WHERE h.key = $1::bytea AND h.owner <> $2::text AND h.held_until > clock_timestamp())
  AND ($5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL)
ON CONFLICT (key) DO UPDATE SET
  version = CASE
    WHEN l.owner = $2 AND l.held_until > clock_timestamp() THEN l.version
    ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
  END,
  owner = $2,
  held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE l.owner = $2 OR l.held_until IS NULL OR l.held_until <= clock_timestamp()
RETURNING l.version, ROW(l.key, l.version, l.owner, l.held_until)::"locks" IS NULL
