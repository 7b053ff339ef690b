-- Who has a key.
-- :key, :now
-- Returns owner, version and held_until, or no row.
SELECT owner, version, held_until FROM "locks" WHERE key = :key AND owner IS NOT NULL AND held_until > :now;
