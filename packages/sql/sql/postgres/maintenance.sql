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

-- name: objects
-- What there is of the tables and routines. A table is that of the layout if it has the column.
-- Returns what follows the name of the tables in each name, and whether it is there.
SELECT o.rest, CASE o.kind
  WHEN 'routine' THEN to_regproc(o.name) IS NOT NULL
  WHEN 'type' THEN to_regtype(o.name) IS NOT NULL
  ELSE EXISTS (
    SELECT FROM pg_attribute AS a WHERE a.attrelid = to_regclass(o.name) AND a.attname = o.kind AND NOT a.attisdropped
  ) END AS found
FROM (VALUES
  ('', '"locks"', 'assigned_process'), ('_shares', '"locks_shares"', 'permits'), ('_queue', '"locks_queue"', 'sent'),
  ('_layout', '"locks_layout"', 'readable_from'), ('_fences', '"locks_fences"', 'resource'), ('_turn', '"locks_turn"', 'type'),
  ('_check_new', '"locks_check_new"', 'routine'), ('_ended', '"locks_ended"', 'routine'), ('_lock', '"locks_lock"', 'routine'),
  ('_settle', '"locks_settle"', 'routine'), ('_acquire', '"locks_acquire"', 'routine'), ('_renew', '"locks_renew"', 'routine'),
  ('_release', '"locks_release"', 'routine'), ('_sweep', '"locks_sweep"', 'routine'),
  ('_release_and_tell', '"locks_release_and_tell"', 'routine')
) AS o (rest, name, kind)

-- name: read-layout
-- What the table of the layout says.
-- Returns the layout, and the oldest one whose packages can use the tables.
SELECT version, readable_from FROM "locks_layout" ORDER BY version DESC LIMIT 1

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
