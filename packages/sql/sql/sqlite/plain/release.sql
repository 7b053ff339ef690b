-- Ends a hold. The row stays, and with it the version.
-- :key, :owner, :now
-- Returns a row if it was held.
UPDATE "locks" SET owner = NULL, held_until = NULL
WHERE key = :key AND owner = :owner AND held_until > :now
RETURNING version;
