-- Takes the last place in line, or shows that the one it has is still wanted.
-- :key, :owner, :process, :permits, :deadline
-- Returns nothing.
INSERT INTO "locks_line" (key, place, owner, process, permits, deadline)
VALUES (
  :key,
  (SELECT coalesce(max(place), 0) + 1 FROM "locks_line" WHERE key = :key),
  :owner, :process, :permits, :deadline
)
ON CONFLICT (key, owner) DO UPDATE SET process = excluded.process, permits = excluded.permits, deadline = excluded.deadline;
