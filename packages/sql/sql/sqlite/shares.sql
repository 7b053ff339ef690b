-- The shares of a key: one row for each shared holder.

-- name: find-share
-- The share of one owner.
-- :key, :owner
-- Returns its token.
SELECT token FROM "locks_shares" WHERE key = :key AND owner = :owner;

-- name: read-shares
-- What a key's shares come to.
-- :key
-- Returns their number, the earliest and the latest expiry, and the permits they were taken with.
SELECT count(*) AS number, min(expires) AS first, max(expires) AS last, max(permits) AS permits
FROM "locks_shares" WHERE key = :key;

-- name: write-share
-- Adds a share, or restarts its ttl.
-- :key, :owner, :token, :permits, :until (expiry)
-- Returns nothing.
INSERT INTO "locks_shares" (key, owner, token, permits, expires) VALUES (:key, :owner, :token, :permits, :until)
ON CONFLICT (key, owner) DO UPDATE SET token = excluded.token, expires = excluded.expires;

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
