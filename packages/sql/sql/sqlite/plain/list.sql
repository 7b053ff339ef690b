-- Keys that are held, in the order of their bytes.
-- :from (the first that may be listed), :after (listed before, or null), :before (or null), :now, :limit
-- Returns their names.
SELECT key FROM "locks"
WHERE key > '' AND key >= :from
  AND (:after IS NULL OR key > :after)
  AND (:before IS NULL OR key < :before)
  AND owner IS NOT NULL AND held_until > :now
ORDER BY key
LIMIT :limit;
