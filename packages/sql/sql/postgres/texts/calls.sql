-- The statements of a provider with option routines=false, on the one table of texts.

-- name: read
-- The text under a key. The time is that at which the statement came, so not after the text.
-- $1 key
-- Returns version and record, both NULL without a text, and the server's time (ms).
SELECT l.version, l.record, extract(epoch FROM statement_timestamp()) * 1000 AS now
FROM (SELECT $1::bytea AS key) AS wanted LEFT JOIN "locks" AS l USING (key)

-- name: insert
-- The first text of a key, and a message to the processes whose turn it is.
-- $1 key, $2 version, $3 record, $4 for how many ms it must stay, or NULL, $5 longest wait for the
-- row (ms; NULL: the connection's own limit), $6 the processes
-- Returns how many rows were written, and how many processes were notified.
WITH done AS (
  INSERT INTO "locks" AS l (key, version, record, written, keep_for)
  SELECT $1::bytea, $2::text, $3::text, clock_timestamp(), $4::bigint
  WHERE $5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL
  ON CONFLICT (key) DO NOTHING
  RETURNING 1
), told AS (
  SELECT pg_notify('locks_' || process, encode($1::bytea, 'hex')) FROM unnest($6::text[]) AS process WHERE EXISTS (SELECT FROM done)
)
SELECT (SELECT count(*) FROM done) AS changed, (SELECT count(*) FROM told) AS told

-- name: update
-- Another text, if the version is still the one that was seen.
-- $1 to $6 as in insert, $7 that version
-- Returns as insert does.
WITH done AS (
  UPDATE "locks" AS l SET version = $2::text, record = $3::text, written = clock_timestamp(), keep_for = $4::bigint
  WHERE l.key = $1::bytea AND l.version = $7::text
    AND ($5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL)
  RETURNING 1
), told AS (
  SELECT pg_notify('locks_' || process, encode($1::bytea, 'hex')) FROM unnest($6::text[]) AS process WHERE EXISTS (SELECT FROM done)
)
SELECT (SELECT count(*) FROM done) AS changed, (SELECT count(*) FROM told) AS told

-- name: echo
-- Sends a process a message about no key.
-- $1 the process
-- Returns nothing of use.
SELECT pg_notify('locks_' || $1::text, '')

-- name: list
-- Keys that have a text, in the order of their bytes.
-- $1 the first that may come, $2 NULL or the first that comes no more, $3 how many at most
-- Returns keys, in hexadecimal digits.
SELECT encode(l.key, 'hex') FROM "locks" AS l
WHERE l.key >= $1::bytea AND ($2::bytea IS NULL OR l.key < $2::bytea)
ORDER BY l.key
LIMIT $3::integer

-- name: check-connection
-- Looks at a new connection and at the table.
-- Returns the server's version, whether it is a standby, whether transactions are read-only and how
-- isolated by default, the ms after which a statement is ended, the table's schema, and the names
-- of its columns; both NULL without the table.
SELECT current_setting('server_version_num') AS server, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only') AS read_only,
  current_setting('default_transaction_isolation') AS isolation,
  extract(epoch FROM current_setting('statement_timeout')::interval) * 1000 AS ends_after,
  (
    SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('"locks"')
  ),
  (
    SELECT string_agg(a.attname, ', ' ORDER BY a.attnum)
    FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass('"locks"') AND a.attnum > 0 AND NOT a.attisdropped
  ) AS columns

-- name: sweep
-- Removes the texts of a stretch that may go, and passes over those that others have locked.
-- $1 how long ago they could go (ms), $2 how many at most, $3 the key before the first, $4 how many
-- keys to look at
-- Returns how many, and the last key that was looked at in hexadecimal digits, NULL at the end.
WITH stretch AS MATERIALIZED (
  SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
), idle AS MATERIALIZED (
  SELECT l.key FROM "locks" AS l, stretch AS s
  WHERE l.key > $3::bytea AND (s.last IS NULL OR l.key <= s.last)
    AND l.written < clock_timestamp() - interval '1 millisecond' * (l.keep_for + $1::bigint)
  LIMIT $2::integer
  FOR UPDATE OF l SKIP LOCKED
), removed AS (
  DELETE FROM "locks" AS l USING idle WHERE l.key = idle.key RETURNING 1
)
SELECT (SELECT count(*) FROM removed), encode(s.last, 'hex') FROM stretch AS s
