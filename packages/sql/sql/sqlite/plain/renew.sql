-- Restarts the ttl of a hold, and raises its token.
-- :key, :owner, :until (expiry), :now, :token (or null)
-- Returns a row if it was held, by a token that is not higher.
UPDATE "locks" SET held_until = :until, version = coalesce(:token, version)
WHERE key = :key AND owner = :owner AND held_until > :now AND version <= coalesce(:token, version)
RETURNING version;
