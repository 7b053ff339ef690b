-- Takes a key that is free, or restarts the ttl of this owner's hold: one conditional write.
-- :key, :owner, :until (expiry), :now, :least (the least token)
-- Returns the token, or no row.
-- Without column names it fails once the table has more columns: then its keys are for clients with routines.
INSERT INTO "locks"
VALUES (:key, max(:least, coalesce((SELECT version + 1 FROM "locks" WHERE key = ''), 0)), :owner, :until)
ON CONFLICT (key) DO UPDATE SET
  version = CASE WHEN owner = :owner AND held_until > :now THEN version ELSE max(version + 1, :least) END,
  owner = :owner,
  held_until = :until
WHERE owner = :owner OR held_until IS NULL OR held_until <= :now
RETURNING version;
