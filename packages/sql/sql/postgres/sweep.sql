-- Removes the rows of idle keys.
-- $1 for how long they must have been idle (ms), $2 how many at most
-- Returns how many.
SELECT "locks_sweep"($1::bigint, $2::integer)
