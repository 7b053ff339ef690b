-- Removes the rows of idle keys of a stretch.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns the key of each.
DELETE FROM "locks"
WHERE key > :after AND (:to IS NULL OR key <= :to)
  AND version < :older AND (held_until IS NULL OR held_until <= :now)
RETURNING key;
