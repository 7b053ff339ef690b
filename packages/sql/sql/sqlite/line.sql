-- The line of a key: one row for each waiter.

-- name: keep-place
-- Shows that a place in line is still wanted.
-- :key, :owner, :process, :permits, :ttl, :floor, :now, :deadline
-- Returns nothing.
UPDATE "locks_line" SET process = :process, permits = :permits, ttl = :ttl, floor = :floor, seen = :now, deadline = :deadline
WHERE key = :key AND owner = :owner;

-- name: take-place
-- Takes the last place in line.
-- :key, :owner, :process, :permits, :ttl, :floor, :now, :deadline
-- Returns nothing.
INSERT INTO "locks_line" (key, place, owner, process, permits, ttl, floor, seen, deadline)
VALUES (
  :key,
  (SELECT coalesce(max(place), 0) + 1 FROM "locks_line" WHERE key = :key),
  :owner, :process, :permits, :ttl, :floor, :now, :deadline
);

-- name: keep-others
-- Shows that other places are still wanted.
-- :key, :owners (a JSON array), :now, :deadline
-- Returns nothing.
UPDATE "locks_line" SET seen = :now, deadline = :deadline
WHERE key = :key AND owner IN (SELECT value FROM json_each(:owners));

-- name: leave-line
-- Gives up a place in line.
-- :key, :owner
-- Returns nothing.
DELETE FROM "locks_line" WHERE key = :key AND owner = :owner;

-- name: read-places
-- What the rules of a key look at in its line: the first two places, and that of one owner.
-- :key, :owner, :ended (a JSON array): processes whose places count no more
-- Returns for each its place, owner, process, the permits it wants (null is exclusive), its ttl and
-- floor, when it lapses, and how long it lasts, in their order.
WITH standing AS NOT MATERIALIZED (
  SELECT place, owner, process, permits, ttl, floor, deadline, deadline - seen AS lasts FROM "locks_line"
  WHERE key = :key AND (:ended = '[]' OR process NOT IN (SELECT value FROM json_each(:ended)))
)
SELECT * FROM (SELECT * FROM standing ORDER BY place LIMIT 2)
UNION
SELECT * FROM standing WHERE owner = :owner
ORDER BY place;

-- name: has-places
-- Whether any claim is in line.
-- :key
-- Returns a row if there is one.
SELECT 1 FROM "locks_line" WHERE key = :key LIMIT 1;

-- name: hasten-lapse
-- Lets a place in line lapse earlier; how long it lasts stays.
-- :key, :owner, :deadline
-- Returns nothing.
UPDATE "locks_line" SET seen = seen - (deadline - :deadline), deadline = :deadline WHERE key = :key AND owner = :owner;

-- name: purge-line
-- Drops the places whose deadline has passed, wherever they stand.
-- :key, :now
-- Returns nothing.
DELETE FROM "locks_line" WHERE key = :key AND deadline <= :now;

-- name: read-line
-- The deadlines of those in line.
-- :key
-- Returns the earliest and the latest of them.
SELECT min(deadline) AS first, max(deadline) AS last FROM "locks_line" WHERE key = :key;

-- name: turns
-- The first in line on each of some keys: whether it is in one process and can go. And who was
-- given the key in line.
-- :keys (a JSON array), :process, :now, :ended (a JSON array): processes whose places count no more
-- Returns the owner, or null; its process; when time alone may change that; version and place,
-- which change when the line moves; and who was given the key, or null, with what is left of that.
SELECT
  CASE WHEN head.process = :process AND (
    record.held_until IS NULL
    OR record.held_until <= :now
    OR (record.owner IS NULL AND head.permits IS NOT NULL AND (head.permits = 0 OR head.permits > (
      SELECT count(*) FROM "locks_shares" WHERE key = record.key AND expires > :now
    )))
  ) THEN head.owner END AS owner,
  min(
    coalesce(head.deadline, record.held_until),
    coalesce(
      CASE
        WHEN record.owner IS NULL THEN (SELECT min(expires) FROM "locks_shares" WHERE key = record.key AND expires > :now)
        WHEN record.held_until > :now THEN record.held_until
      END,
      head.deadline,
      record.held_until
    )
  ) AS changes,
  record.version,
  head.place,
  head.process,
  CASE WHEN record.owner = record.assigned_to AND record.held_until > :now THEN record.owner END AS assigned_to,
  record.held_until - :now AS remaining
FROM json_each(:keys) AS wanted
JOIN "locks" AS record ON record.key = wanted.value
LEFT JOIN "locks_line" AS head ON head.key = record.key AND head.place = (
  SELECT place FROM "locks_line"
  WHERE key = record.key AND deadline > :now
    AND (:ended = '[]' OR process NOT IN (SELECT value FROM json_each(:ended)))
  ORDER BY place LIMIT 1
)
WHERE head.owner IS NOT NULL OR (record.owner = record.assigned_to AND record.held_until > :now);
