-- How far one look of the sweep goes: a table may be long, and nobody else can use the connection meanwhile.
-- :after, :length
-- Returns the last key of the stretch; no row when it is the last one.
SELECT key FROM "locks" WHERE key > :after ORDER BY key LIMIT 1 OFFSET :length;
