-- The first in line.
-- :key
-- Returns its owner, its process, and the permits it wants: null is exclusive.
SELECT owner, process, permits FROM "locks_line" WHERE key = :key ORDER BY place LIMIT 1;
