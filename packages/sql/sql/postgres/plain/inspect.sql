-- Who has a key.
-- $1 key
-- Returns owner, token and ms left, or no row.
WITH present AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT l.owner, l.version, extract(epoch FROM l.held_until - now) * 1000
FROM "locks" AS l, present
WHERE l.key = $1::bytea AND l.owner IS NOT NULL AND l.held_until > now
