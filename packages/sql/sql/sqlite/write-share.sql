-- Adds a share, or restarts its ttl.
-- :key, :owner, :token, :permits, :until (expiry)
-- Returns nothing.
INSERT INTO "locks_shares" (key, owner, token, permits, expires) VALUES (:key, :owner, :token, :permits, :until)
ON CONFLICT (key, owner) DO UPDATE SET token = excluded.token, expires = excluded.expires;
