-- The check of a new connection, the layout of the tables, and the sweep.

-- name: find-schema
-- Where this connection finds the tables.
-- Returns the schema, or no row.
SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('"locks_layout"')

-- name: check-connection
-- Looks at this connection.
-- Returns the version of the server, whether it is a standby, whether transactions are read-only
-- and how isolated by default, the ms after which a statement is ended, the layout, the oldest
-- layout whose packages can use the tables, and whether row level security may hide that row.
SELECT current_setting('server_version_num') AS server, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only') AS read_only,
  current_setting('default_transaction_isolation') AS isolation,
  extract(epoch FROM current_setting('statement_timeout')::interval) * 1000 AS ends_after,
  layout.version, layout.readable_from, row_security_active('"locks_layout"') AS secured
FROM (SELECT 1) AS one LEFT JOIN "locks_layout" AS layout ON true

-- name: sweep
-- Removes the rows of idle keys of a stretch. The primary key finds them: a long table is not read
-- from its beginning each time.
-- $1 for how long they must have been idle (ms), $2 how many at most, $3 the key before the first,
-- $4 how many keys to look at
-- Returns how many, and the last key that was looked at in hexadecimal digits, NULL at the end.
WITH stretch AS MATERIALIZED (
  SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
)
SELECT "locks_sweep"($1::bigint, $2::integer, $3::bytea, s.last), encode(s.last, 'hex') FROM stretch AS s

-- name: time
-- The server's clock.
-- Returns the ms since 1970.
SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
