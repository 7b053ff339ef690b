-- Removes the rows of idle keys of a stretch, found by the primary key: a long table is not read from its beginning each time.
-- $1 for how long they must have been idle (ms), $2 how many at most, $3 the key before the first, $4 how many keys to look at
-- Returns how many, and the last key that was looked at in hexadecimal digits, NULL at the end.
WITH stretch AS MATERIALIZED (
  SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
)
SELECT "locks_sweep"($1::bigint, $2::integer, $3::bytea, s.last), encode(s.last, 'hex') FROM stretch AS s
