-- Ends an exclusive hold and tells the first in line.
-- $1 key, $2 owner, $3 this process, $4 longest wait for the row (ms; NULL: the connection's own limit)
-- Returns, if it was held, whose turn it is, process and owner, and whether that is for the routine to find out. A message takes a lock
-- of the whole database, so it is sent only where another process has to be told.
UPDATE "locks" AS l SET owner = NULL, held_until = NULL
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
  AND ($4::text IS NULL OR set_config('lock_timeout', $4::text, true) IS NOT NULL)
RETURNING
  CASE WHEN l.head_until > clock_timestamp() THEN l.head_process END,
  CASE WHEN l.head_until > clock_timestamp() THEN l.head_owner END,
  l.line_until > clock_timestamp() AND (l.head_until > clock_timestamp()) IS NOT TRUE,
  CASE WHEN l.head_until > clock_timestamp() AND l.head_process <> $3::text THEN
    pg_notify('locks_' || l.head_process, l.head_owner)
  END
