-- Calls of one tick for many keys. A row that another client has locked is skipped, so no key waits
-- for another. What a statement leaves out is untouched, and for the statement of one key.

-- name: acquire-each
-- Takes each key that is free, has an empty queue and is not locked. Makes the rows that are
-- missing in one order, so that two clients never wait for each other.
-- $1 keys, all different, $2 their owners, $3 ttl (ms), $4 the tokens must exceed this, $5 longest
-- wait for another client that makes the same row (ms; NULL: the connection's own limit)
-- Returns owners and tokens. Fails with state LK001 as acquire-free does.
WITH claims AS MATERIALIZED (
  SELECT c.key, c.owner FROM unnest($1::bytea[], $2::text[]) AS c(key, owner)
  WHERE $5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL
), free AS MATERIALIZED (
  SELECT l.key, c.owner FROM claims AS c JOIN "locks" AS l ON l.key = c.key
  WHERE l.owner = c.owner AND l.held_until > clock_timestamp()
    OR (l.held_until IS NULL OR l.held_until <= clock_timestamp())
      AND (l.queue_until IS NULL OR l.queue_until <= clock_timestamp())
  FOR NO KEY UPDATE OF l SKIP LOCKED
), taken AS (
  UPDATE "locks" AS l SET
    version = CASE
      WHEN l.owner = f.owner AND l.held_until > clock_timestamp() THEN l.version
      ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    END,
    owner = f.owner,
    held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
    shares = 0
  FROM free AS f WHERE l.key = f.key
  RETURNING l.owner, l.version
), made AS (
  INSERT INTO "locks" AS l (key, version, owner, held_until)
  SELECT c.key, greatest($4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), c.owner,
    clock_timestamp() + interval '1 millisecond' * $3::double precision
  FROM claims AS c WHERE NOT EXISTS (SELECT FROM "locks" AS present WHERE present.key = c.key)
  ORDER BY c.key
  ON CONFLICT (key) DO NOTHING
  RETURNING l.owner, l.version, "locks_check_new"(l.version) AS checked
)
SELECT owner, version, NULL FROM taken UNION ALL SELECT owner, version, checked FROM made

-- name: renew-each
-- Restarts the ttl of each exclusive hold whose row is not locked.
-- $1 keys, $2 their owners, $3 ttl (ms)
-- Returns the owners whose holds were renewed.
WITH held AS MATERIALIZED (
  SELECT l.key FROM unnest($1::bytea[], $2::text[]) AS c(key, owner) JOIN "locks" AS l ON l.key = c.key
  WHERE l.owner = c.owner AND l.held_until > clock_timestamp()
  FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE "locks" AS l SET held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision
FROM held AS h WHERE l.key = h.key
RETURNING l.owner

-- name: release-each
-- Ends each exclusive hold whose queue is empty and whose row is not locked.
-- $1 keys, $2 their owners
-- Returns the owners whose holds have ended.
WITH held AS MATERIALIZED (
  SELECT l.key, l.owner FROM unnest($1::bytea[], $2::text[]) AS c(key, owner) JOIN "locks" AS l ON l.key = c.key
  WHERE l.owner = c.owner AND l.held_until > clock_timestamp()
    AND (l.queue_until IS NULL OR l.queue_until <= clock_timestamp())
  FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE "locks" AS l SET owner = NULL, held_until = NULL
FROM held AS h WHERE l.key = h.key AND set_config('synchronous_commit', 'off', true) IS NOT NULL
RETURNING h.owner
