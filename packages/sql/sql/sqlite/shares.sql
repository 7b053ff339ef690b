-- The shares of a key: one row for each shared holder.

-- name: read-shares
-- The shares of a key.
-- :key, :now
-- Returns owner, token, permits and expiry of each that has not expired, the earliest token first.
SELECT owner, token, permits, expires FROM "locks_shares" WHERE key = :key AND expires > :now ORDER BY token, owner;

-- name: write-share
-- Adds a share, or changes one.
-- :key, :owner, :token, :permits, :until (expiry)
-- Returns nothing.
INSERT INTO "locks_shares" (key, owner, token, permits, expires) VALUES (:key, :owner, :token, :permits, :until)
ON CONFLICT (key, owner) DO UPDATE SET
  token = excluded.token,
  permits = excluded.permits,
  expires = excluded.expires;

-- name: remove-share
-- Gives up a share.
-- :key, :owner
-- Returns nothing.
DELETE FROM "locks_shares" WHERE key = :key AND owner = :owner;

-- name: purge-shares
-- Drops the shares that have expired.
-- :key, :now
-- Returns nothing.
DELETE FROM "locks_shares" WHERE key = :key AND expires <= :now;
