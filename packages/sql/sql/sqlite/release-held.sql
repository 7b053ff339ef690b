-- Frees an exclusive hold if nobody is in line.
-- :key, :owner, :now
-- Returns a row when it did.
UPDATE "locks" SET owner = NULL, held_until = NULL, touched = :now
WHERE key = :key AND owner = :owner AND held_until > :now AND line_until IS NULL
RETURNING version;
