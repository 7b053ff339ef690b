-- Whether there is a row to remove: a look that keeps nobody from writing.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns a row if so.
SELECT key FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to)
  AND version < :older AND (held_until IS NULL OR held_until <= :now)
LIMIT 1;
