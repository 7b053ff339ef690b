-- The second half of a sweep's step: removes the rows of idle keys of a stretch, and passes over those that others have locked.
-- $1 the version below which they may go, $2 how many at most, $3 the key before the first, $4 how many keys to look at
-- Returns how many, and the last key that was looked at in hexadecimal digits, NULL at the end.
WITH stretch AS MATERIALIZED (
  SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
), idle AS MATERIALIZED (
  SELECT l.key FROM "locks" AS l, stretch AS s
  -- The row of the byte 255 stays. UTF-8 has no byte 254 either.
  WHERE l.key > $3::bytea AND l.key <= coalesce(s.last, '\xfe'::bytea) AND l.key < '\xff'::bytea
    AND l.version < $1::bigint AND (l.held_until IS NULL OR l.held_until <= clock_timestamp())
  LIMIT $2::integer
  FOR UPDATE OF l SKIP LOCKED
), removed AS (
  DELETE FROM "locks" AS l USING idle WHERE l.key = idle.key
  RETURNING ROW(l.key, l.version, l.owner, l.held_until)::"locks"
)
SELECT (SELECT count(*) FROM removed), encode(s.last, 'hex') FROM stretch AS s
