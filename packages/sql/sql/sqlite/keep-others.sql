-- Shows that other places are still wanted.
-- :key, :owners (a JSON array), :now, :deadline
-- Returns nothing.
UPDATE "locks_line" SET seen = :now, deadline = :deadline
WHERE key = :key AND owner IN (SELECT value FROM json_each(:owners));
