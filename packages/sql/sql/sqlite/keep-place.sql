-- Shows that a place in line is still wanted.
-- :key, :owner, :process, :permits, :now, :deadline
-- Returns a row if there is one.
UPDATE "locks_line" SET process = :process, permits = :permits, seen = :now, deadline = :deadline
WHERE key = :key AND owner = :owner
RETURNING place;
