-- Whether somebody else holds a key: a look that keeps nobody from writing.
-- :key, :owner, :now
-- Returns a row if so.
SELECT 1 FROM "locks" WHERE key = :key AND owner <> :owner AND held_until > :now;
