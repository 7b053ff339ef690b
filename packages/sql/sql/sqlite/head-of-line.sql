-- The first in line.
-- :key
-- Returns its owner, its process, the permits it wants (null is exclusive), and when its place lapses.
SELECT owner, process, permits, deadline FROM "locks_line" WHERE key = :key ORDER BY place LIMIT 1;
