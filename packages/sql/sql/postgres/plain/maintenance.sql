-- What a provider with option routines=false does besides: a look at each new connection, and the
-- sweep.

-- name: check-connection
-- Looks at a new connection and at the table.
-- Returns the server's version, whether it is a standby, whether transactions are read-only and how
-- isolated by default, the ms after which a statement is ended, the table's schema, and its columns
-- with their types; both NULL without the table.
SELECT current_setting('server_version_num') AS server, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only') AS read_only,
  current_setting('default_transaction_isolation') AS isolation,
  extract(epoch FROM current_setting('statement_timeout')::interval) * 1000 AS ends_after,
  (
    SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('"locks"')
  ),
  (
    SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum)
    FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass('"locks"') AND a.attnum > 0 AND NOT a.attisdropped
  ) AS columns

-- name: raise-removed
-- The first half of a sweep's step: notes what every later token of a new row must exceed.
-- $1 for how long a row must have been idle to be removed (ms)
-- Returns the version below which rows may go.
INSERT INTO "locks" AS l (key, version)
VALUES ('\xff'::bytea, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint * 1000)
ON CONFLICT (key) DO UPDATE SET version = greatest(l.version, excluded.version)
RETURNING l.version, ROW(l.key, l.version, l.owner, l.held_until)::"locks" IS NULL

-- name: remove
-- The second half of a sweep's step: removes the rows of idle keys of a stretch, and passes over
-- those that others have locked.
-- $1 the version below which they may go, $2 how many at most, $3 the key before the first, $4 how
-- many keys to look at
-- Returns how many, and the last key that was looked at in hexadecimal digits, NULL at the end.
WITH stretch AS MATERIALIZED (
  SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
), idle AS MATERIALIZED (
  SELECT l.key FROM "locks" AS l, stretch AS s
  -- The row of the byte 255 stays.
  WHERE l.key > $3::bytea AND l.key <= coalesce(s.last, '\xff'::bytea) AND l.key < '\xff'::bytea
    AND l.version < $1::bigint AND (l.held_until IS NULL OR l.held_until <= clock_timestamp())
  LIMIT $2::integer
  FOR UPDATE OF l SKIP LOCKED
), removed AS (
  DELETE FROM "locks" AS l USING idle WHERE l.key = idle.key
  RETURNING ROW(l.key, l.version, l.owner, l.held_until)::"locks"
)
SELECT (SELECT count(*) FROM removed), encode(s.last, 'hex') FROM stretch AS s
