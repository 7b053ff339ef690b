-- Who has a key, and how many wait.
-- $1 key
-- Returns rows of mode, owner, token and ms left; and one of the mode NULL that has the number of those in line for its token.
WITH present AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT 'exclusive', l.owner, l.version, extract(epoch FROM l.held_until - now) * 1000
FROM "locks" AS l, present
WHERE l.key = $1::bytea AND l.owner IS NOT NULL AND l.held_until > now
UNION ALL
SELECT 'shared', s.owner, s.token, extract(epoch FROM s.expires - now) * 1000
FROM "locks" AS l JOIN "locks_shares" AS s ON s.key = l.key, present
WHERE l.key = $1::bytea AND l.owner IS NULL AND l.shares > 0 AND s.expires > now
UNION ALL
SELECT NULL, NULL, count(*), NULL
FROM "locks_line" AS w, present
WHERE w.key = $1::bytea AND w.deadline > now
