-- The share of one owner.
-- :key, :owner
-- Returns its token.
SELECT token FROM "locks_shares" WHERE key = :key AND owner = :owner;
