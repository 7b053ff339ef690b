-- Gives up a share.
-- :key, :owner
-- Returns nothing.
DELETE FROM "locks_shares" WHERE key = :key AND owner = :owner;
