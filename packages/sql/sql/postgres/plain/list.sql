-- Keys that are held, in the order of their bytes.
-- $1 the first that may come, $2 NULL or the first that comes no more, $3 how many at most
-- Returns keys, in hexadecimal digits.
SELECT encode(l.key, 'hex')
FROM "locks" AS l
WHERE l.key >= $1::bytea AND ($2::bytea IS NULL OR l.key < $2::bytea)
  AND l.owner IS NOT NULL AND l.held_until > clock_timestamp()
ORDER BY l.key
LIMIT $3::integer
