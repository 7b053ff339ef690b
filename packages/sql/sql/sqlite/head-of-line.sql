-- The first in line.
-- :key
-- Returns its owner, its process, the permits it wants (null is exclusive), when its place lapses, and how long it lasts.
SELECT owner, process, permits, deadline, deadline - seen AS lasts FROM "locks_line" WHERE key = :key ORDER BY place LIMIT 1;
