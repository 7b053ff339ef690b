-- Takes the key if it is free and no claim is in line; restarts the ttl if this owner holds it
-- exclusively. What lapsed in the companions is left to a transaction that clears it: then this does
-- nothing. Tokens end at 2^53, where JavaScript's numbers do.
-- :key, :owner, :until (expiry), :now, :least (the least token)
-- Returns the fencing token; no row when a transaction must decide.
INSERT INTO "locks" (key, version, owner, held_until, touched)
VALUES (:key, max(:least, (SELECT swept + 1 FROM "locks_host")), :owner, :until, :now)
ON CONFLICT (key) DO UPDATE SET
  version = CASE WHEN owner = :owner AND held_until > :now THEN version ELSE max(version + 1, :least) END,
  owner = :owner,
  held_until = :until,
  touched = :now
WHERE (owner = :owner AND held_until > :now)
  OR (version < 9007199254740992 AND line_until IS NULL AND (held_until IS NULL OR (owner IS NOT NULL AND held_until <= :now)))
RETURNING version;
