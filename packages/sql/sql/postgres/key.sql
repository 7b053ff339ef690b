-- One key: its holders, and what its holders and waiters ask for.

-- name: acquire-free
-- Takes a key exclusively if it is free and its queue is empty, or restarts the ttl of this owner's
-- hold. The key row alone decides, at the time after it was locked.
-- $1 key, $2 owner, $3 ttl (ms), $4 the token must exceed this, $5 longest wait for the row (ms;
-- NULL: the connection's own limit)
-- Returns the token, or no row. Fails with state LK001 for a new row whose token the sweep may have
-- removed: the routine takes such a key.
INSERT INTO "locks" AS l (key, version, owner, held_until)
SELECT $1::bytea, greatest($4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), $2::text,
  clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE $5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL
ON CONFLICT (key) DO UPDATE SET
  version = CASE
    WHEN l.owner = $2 AND l.held_until > clock_timestamp() THEN l.version
    ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
  END,
  owner = $2,
  held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
  shares = 0
WHERE l.owner = $2 AND l.held_until > clock_timestamp()
  OR (l.held_until IS NULL OR l.held_until <= clock_timestamp())
    AND (l.queue_until IS NULL OR l.queue_until <= clock_timestamp())
RETURNING l.version, CASE WHEN l.xmax = 0 THEN "locks_check_new"(l.version) END

-- name: attempt
-- Any attempt.
-- $1 key, $2 owner, $3 ttl (ms), $4 the token must exceed this, $5 permits (NULL: exclusive; 0: any
-- number), $6 whether to take a place, $7 this process, $8 ttl of a place (ms), $9 other owners to
-- be kept in the queue, $10 longest wait for the row (ms), $11 whether no attempt of it was granted
-- yet, $12 when this was sent, as the process says
-- Returns the token, ms until the next attempt, why it was refused, which of the others are not in
-- the queue (JSON), and about the first in the queue: "locks_turn". Where nothing is
-- granted there is nothing that a crash must not undo: the commit does not wait for the disk.
SELECT token, retry_ms, refusal, array_to_json(gone), (turn).process AS turn_process, (turn).owner AS turn_owner, (turn).token AS turn_token,
  (turn).span_ms, (turn).message, (turn).kept,
  CASE WHEN token IS NULL AND (turn).token IS NULL THEN set_config('synchronous_commit', 'off', true) END
FROM "locks_acquire"(
  $1::bytea, $2::text, $3::integer, $4::bigint, $5::integer, $6::boolean, $7::text, $8::integer, $9::text[], $10::integer,
  $11::boolean, $12::text
)

-- name: enter-all
-- The first attempts of several exclusive claims on one key, in their order.
-- $1 key, $2 owners, $3 their ttls (ms), $4 their tokens must exceed these, $5 this process, $6 ttl
-- of a place (ms), $7 longest wait for the row (ms), $8 when this was sent, as the process says
-- Returns for each claim what "attempt" returns, but those of the others.
WITH answers AS MATERIALIZED (
  SELECT c.nth, a.token, a.retry_ms, a.refusal, a.turn
  FROM unnest($2::text[], $3::integer[], $4::bigint[]) WITH ORDINALITY AS c (owner, ttl_ms, above, nth)
  CROSS JOIN LATERAL "locks_acquire"(
    $1::bytea, c.owner, c.ttl_ms, c.above, NULL, true, $5::text, $6::integer, '{}', $7::integer, false, $8::text
  ) AS a
)
SELECT token, retry_ms, refusal, (turn).process AS turn_process, (turn).owner AS turn_owner, (turn).token AS turn_token,
  (turn).span_ms, (turn).message, (turn).kept,
  CASE WHEN (SELECT bool_and(token IS NULL AND (turn).token IS NULL) FROM answers) THEN set_config('synchronous_commit', 'off', true) END
FROM answers ORDER BY nth

-- name: renew
-- Restarts the ttl of an exclusive hold. After a wait for a row that another client locked and left
-- as it was, the ttl counts from before the wait. The call was sent earlier still.
-- $1 key, $2 owner, $3 ttl (ms), $4 NULL or its token from now on, $5 longest wait for the row (ms;
-- NULL: the connection's own limit)
-- Returns a row if it was held.
UPDATE "locks" AS l
SET held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
  version = greatest(l.version, $4::bigint)
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
  AND ($4::bigint IS NULL OR l.version <= $4::bigint)
  AND ($5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL)
RETURNING 1

-- name: renew-any
-- Restarts the ttl of a hold of any mode.
-- $1 key, $2 owner, $3 ttl (ms), $4 NULL or the token that this lease gets, $5 this process, $6 ttl
-- of a place (ms), $7 longest wait for the row (ms)
-- Returns whether it was renewed, and about the first in the queue: "locks_turn".
SELECT renewed, (turn).process AS turn_process, (turn).owner AS turn_owner, (turn).token AS turn_token,
  (turn).span_ms, (turn).message, (turn).kept
FROM "locks_renew"($1::bytea, $2::text, $3::integer, $4::bigint, $5::text, $6::integer, $7::integer)

-- name: release
-- Ends an exclusive hold of a key without a queue.
-- $1 key, $2 owner, $3 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns a row if it did.
UPDATE "locks" AS l SET owner = NULL, held_until = NULL
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
  AND (l.queue_until IS NULL OR l.queue_until <= clock_timestamp())
  AND ($3::text IS NULL OR set_config('lock_timeout', $3::text, true) IS NOT NULL)
  AND set_config('synchronous_commit', 'off', true) IS NOT NULL
RETURNING 1

-- name: release-any
-- Ends a hold of any mode, or leaves the queue.
-- $1 key, $2 owner, $3 this process, $4 ttl of a place (ms), $5 longest wait for the row (ms)
-- Returns whether it was held, and about the first in the queue: "locks_turn". Where the
-- key is given to no claim, the commit does not wait for the disk.
SELECT freed, (turn).process AS turn_process, (turn).owner AS turn_owner, (turn).token AS turn_token,
  (turn).span_ms, (turn).message, (turn).kept,
  CASE WHEN (turn).token IS NULL THEN set_config('synchronous_commit', 'off', true) END
FROM "locks_release"($1::bytea, $2::text, $3::text, $4::integer, $5::integer)

-- name: release-and-tell
-- What release-any does. Where the key is given to a claim of another process, that process is told
-- when the grant is on disk. It ends its transaction, so it must be alone in it.
-- $1 key, $2 owner, $3 this process, $4 ttl of a place (ms), $5 longest wait for the row (ms)
-- Returns whether it was held, and of the first in the queue what "locks_turn" begins with.
CALL "locks_release_and_tell"($1::bytea, $2::text, $3::text, $4::integer, $5::integer, NULL, NULL, NULL, NULL, NULL)

-- name: inspect
-- The holders of a key, and the claims that wait.
-- $1 key
-- Returns mode, owner, permits, token, ms left. See src/dialect/stores/key-state.ts.
WITH present AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT 'exclusive' AS mode, l.owner, NULL::integer AS permits, l.version AS token, extract(epoch FROM l.held_until - now) * 1000 AS remaining
FROM "locks" AS l, present
WHERE l.key = $1::bytea AND l.owner IS NOT NULL AND l.held_until > now
UNION ALL
SELECT 'shared', s.owner, s.permits, s.token, extract(epoch FROM s.expires - now) * 1000
FROM "locks" AS l JOIN "locks_shares" AS s ON s.key = l.key, present
WHERE l.key = $1::bytea AND l.owner IS NULL AND l.shares > 0 AND s.expires > now
UNION ALL
SELECT 'waiters', NULL, NULL, count(*), NULL
FROM "locks_queue" AS w, present
WHERE w.key = $1::bytea AND w.deadline > now
UNION ALL
(SELECT CASE WHEN w.permits IS NULL THEN 'exclusive waiter' ELSE 'shared waiter' END, w.owner, w.permits, w.place, NULL
FROM "locks_queue" AS w, present
WHERE w.key = $1::bytea AND w.deadline > now ORDER BY w.place LIMIT 100)

-- name: list
-- Keys that are held or waited for, in the order of their bytes.
-- $1 the first that may come, $2 NULL or the first that comes no more, $3 how many at most
-- Returns keys, in hexadecimal digits.
SELECT encode(l.key, 'hex')
FROM "locks" AS l
WHERE l.key >= $1::bytea AND ($2::bytea IS NULL OR l.key < $2::bytea)
  AND (l.held_until > clock_timestamp() OR l.queue_until > clock_timestamp())
ORDER BY l.key
LIMIT $3::integer
