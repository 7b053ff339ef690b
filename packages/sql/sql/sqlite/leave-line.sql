-- Gives up a place in line.
-- :key, :owner
-- Returns nothing.
DELETE FROM "locks_line" WHERE key = :key AND owner = :owner;
