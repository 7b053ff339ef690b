-- Lets a place in line lapse earlier.
-- :key, :owner, :deadline
-- Returns nothing.
UPDATE "locks_line" SET deadline = :deadline WHERE key = :key AND owner = :owner;
