-- Drops the places whose deadline has passed, wherever they stand.
-- :key, :now
-- Returns nothing.
DELETE FROM "locks_line" WHERE key = :key AND deadline <= :now;
