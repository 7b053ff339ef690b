-- Keys that are held or waited for, in the order of their bytes.
-- :from (the first that may be listed), :after (listed before, or null), :before (or null), :prefix, :now, :limit
-- Returns their names.
SELECT key FROM "locks" AS record
WHERE key >= :from
  AND (:after IS NULL OR key > :after)
  AND (:before IS NULL OR key < :before)
  AND (
    (owner IS NOT NULL AND held_until > :now)
    OR (held_until > :now AND EXISTS (SELECT 1 FROM "locks_shares" WHERE key = record.key AND expires > :now))
    OR (line_until > :now AND EXISTS (SELECT 1 FROM "locks_line" WHERE key = record.key AND deadline > :now))
  )
ORDER BY key
LIMIT :limit;
