-- The queue of a key, and how its first waiter is notified.

-- name: turns
-- One look at all queues that a process waits in.
-- $1 keys, $2 the process, under whose name its sessions begin
-- Returns the owners of this process that are first in the queue and can go, or were given the key
-- and had no answer with it yet: then with token and span (ms).
SELECT l.owner, l.version, floor(extract(epoch FROM l.held_until - clock_timestamp()) * 1000)
FROM "locks" AS l
WHERE l.key = ANY ($1::bytea[]) AND l.assigned_to = l.owner AND starts_with(l.assigned_process, $2::text)
  AND l.held_until > clock_timestamp()
UNION ALL
SELECT head.owner, NULL, NULL
FROM "locks" AS l
CROSS JOIN LATERAL (
  SELECT w.owner, w.process, w.permits FROM "locks_queue" AS w
  WHERE w.key = l.key AND w.deadline > clock_timestamp()
    AND NOT "locks_ended"(w.process, $2::text)
  ORDER BY w.place LIMIT 1
) AS head
WHERE l.key = ANY ($1::bytea[]) AND starts_with(head.process, $2::text) AND (
  l.held_until IS NULL OR l.held_until <= clock_timestamp()
  OR head.permits IS NOT NULL AND l.owner IS NULL AND (head.permits = 0 OR head.permits > (
    SELECT count(*) FROM "locks_shares" AS s WHERE s.key = l.key AND s.expires > clock_timestamp()
  ))
)

-- name: tell
-- Notifies another process of its grant, when that is on disk: a transaction that waits
-- for the disk and sends a message makes all others that do so wait for it.
-- $1 the session of the process, $2 the message
-- Returns nothing.
SELECT pg_notify('locks_' || $1::text, $2::text)

-- name: echo
-- Sends this process an empty message, over a connection other than the one that listens.
-- $1 this process
-- Returns nothing.
SELECT pg_notify('locks_' || $1::text, '')
