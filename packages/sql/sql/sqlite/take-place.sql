-- Takes the last place in line.
-- :key, :owner, :process, :permits, :now, :deadline
-- Returns nothing.
INSERT INTO "locks_line" (key, place, owner, process, permits, seen, deadline)
VALUES (
  :key,
  (SELECT coalesce(max(place), 0) + 1 FROM "locks_line" WHERE key = :key),
  :owner, :process, :permits, :now, :deadline
);
