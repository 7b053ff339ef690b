-- What others in line want to share the key with.
-- :key, :owner
-- Returns the permits of one of them.
SELECT permits FROM "locks_line" WHERE key = :key AND permits IS NOT NULL AND owner <> :owner LIMIT 1;
