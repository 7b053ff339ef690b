-- Drops the shares that have expired.
-- :key, :now
-- Returns nothing.
DELETE FROM "locks_shares" WHERE key = :key AND expires <= :now;
