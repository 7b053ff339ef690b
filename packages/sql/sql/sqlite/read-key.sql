-- The row of a key.
-- :key
-- Returns its version, owner, held_until, line_until and next_lapse.
SELECT version, owner, held_until, line_until, next_lapse FROM "locks" WHERE key = :key;
