-- Lets a place in line lapse earlier; how long it lasts stays.
-- :key, :owner, :deadline
-- Returns nothing.
UPDATE "locks_line" SET seen = seen - (deadline - :deadline), deadline = :deadline WHERE key = :key AND owner = :owner;
