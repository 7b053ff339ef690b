-- The first half of a sweep's step: notes what every later token of a new row must exceed.
-- $1 for how long a row must have been idle to be removed (ms)
-- Returns the version below which rows may go.
INSERT INTO "locks" AS l (key, version)
VALUES ('\xff'::bytea, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint * 1000)
ON CONFLICT (key) DO UPDATE SET version = greatest(l.version, excluded.version)
RETURNING l.version, ROW(l.key, l.version, l.owner, l.held_until)::"locks" IS NULL
