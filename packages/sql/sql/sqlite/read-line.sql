-- The deadlines of those in line.
-- :key
-- Returns the earliest and the latest of them.
SELECT min(deadline) AS first, max(deadline) AS last FROM "locks_line" WHERE key = :key;
