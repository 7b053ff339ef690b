-- The first in line on each of some keys: whether it is in one process and can go.
-- :keys (a JSON array), :process, :now
-- Returns the owner, or null; when time alone may change that; and version and place, which change when the line moves.
SELECT
  CASE WHEN head.process = :process AND (
    record.held_until IS NULL
    OR record.held_until <= :now
    OR (record.owner IS NULL AND head.permits IS NOT NULL AND (head.permits = 0 OR head.permits > (
      SELECT count(*) FROM "locks_shares" WHERE key = record.key AND expires > :now
    )))
  ) THEN head.owner END AS owner,
  min(
    head.deadline,
    coalesce(
      CASE
        WHEN record.owner IS NULL THEN (SELECT min(expires) FROM "locks_shares" WHERE key = record.key AND expires > :now)
        WHEN record.held_until > :now THEN record.held_until
      END,
      head.deadline
    )
  ) AS changes,
  record.version,
  head.place
FROM json_each(:keys) AS wanted
JOIN "locks" AS record ON record.key = wanted.value
JOIN "locks_line" AS head ON head.key = record.key AND head.place = (
  SELECT place FROM "locks_line" WHERE key = record.key AND deadline > :now ORDER BY place LIMIT 1
);
