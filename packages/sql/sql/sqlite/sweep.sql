-- Removes the rows of idle keys: of those after one key, up to another.
-- :after, :to (null: the last), :older (than this version), :now
-- Returns the key and the version of each.
DELETE FROM "locks"
WHERE key > :after
  AND (:to IS NULL OR key <= :to)
  AND version < :older
  AND (held_until IS NULL OR held_until <= :now)
  AND (line_until IS NULL OR line_until <= :now)
RETURNING key, version;
