-- Writes the row of a key.
-- :key, :version, :owner, :held_until, :line_until, :next_lapse, :now
-- Returns nothing.
INSERT INTO "locks" (key, version, owner, held_until, line_until, next_lapse, touched)
VALUES (:key, :version, :owner, :held_until, :line_until, :next_lapse, :now)
ON CONFLICT (key) DO UPDATE SET
  version = excluded.version,
  owner = excluded.owner,
  held_until = excluded.held_until,
  line_until = excluded.line_until,
  next_lapse = excluded.next_lapse,
  touched = excluded.touched;
