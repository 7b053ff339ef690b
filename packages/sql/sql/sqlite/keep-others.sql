-- Shows that other places are still wanted.
-- :key, :owners (a JSON array), :deadline
-- Returns nothing.
UPDATE "locks_line" SET deadline = :deadline
WHERE key = :key AND owner IN (SELECT value FROM json_each(:owners));
