-- The calls of a provider with option routines=false, on the one table of four columns.

-- name: acquire
-- Takes a key that is free, or restarts the ttl of this owner's hold: one conditional write. The
-- first condition keeps an attempt that comes too early from writing at all; the last one decides,
-- after the row was locked.
-- $1 key, $2 owner, $3 ttl (ms), $4 the token must exceed this, $5 longest wait for the row (ms;
-- NULL: the connection's own limit)
-- Returns the token, or no row. The cast fails once the table has more columns: then its keys are
-- for clients with routines.
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

-- name: release
-- Ends a hold. The row stays, and with it the version.
-- $1 key, $2 owner, $3 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns a row if it was held.
UPDATE "locks" AS l SET owner = NULL, held_until = NULL
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
  AND ($3::text IS NULL OR set_config('lock_timeout', $3::text, true) IS NOT NULL)
RETURNING 1

-- name: inspect
-- The holder of a key.
-- $1 key
-- Returns owner, token and ms left, or no row.
WITH present AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT l.owner, l.version, extract(epoch FROM l.held_until - now) * 1000
FROM "locks" AS l, present
WHERE l.key = $1::bytea AND l.owner IS NOT NULL AND l.held_until > now

-- name: list
-- Keys that are held, in the order of their bytes.
-- $1 the first that may come, $2 NULL or the first that comes no more, $3 how many at most
-- Returns keys, in hexadecimal digits.
SELECT encode(l.key, 'hex')
FROM "locks" AS l
WHERE l.key >= $1::bytea AND ($2::bytea IS NULL OR l.key < $2::bytea)
  AND l.owner IS NOT NULL AND l.held_until > clock_timestamp()
ORDER BY l.key
LIMIT $3::integer
