-- Restarts the ttl of an exclusive hold, and raises its token.
-- :key, :owner, :until (expiry), :now, :token (or null)
-- Returns a row when it did.
UPDATE "locks" SET
  held_until = :until,
  version = coalesce(:token, version),
  touched = :now
WHERE key = :key AND owner = :owner AND held_until > :now AND version <= coalesce(:token, version)
RETURNING version;
