// Written by scripts/embed-sql.mjs from sql/postgres/*.sql; a test compares them. Change those and run it again.

/** The statements, with the default names of the tables. */
export const statements: Readonly<Record<'acquireEach' | 'renewEach' | 'releaseEach' | 'acquireFree' | 'attempt' | 'acquireAll' | 'renew' | 'renewAny' | 'release' | 'releaseAny' | 'inspect' | 'list' | 'turns' | 'echo' | 'findSchema' | 'checkConnection' | 'sweep' | 'time' | 'readRegister' | 'makeRegister' | 'changeRegister', string>> = {
  acquireEach: `WITH claims AS MATERIALIZED (
SELECT c.key, c.owner FROM unnest($1::bytea[], $2::text[]) AS c(key, owner)
WHERE $5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL
), free AS MATERIALIZED (
SELECT l.key, c.owner FROM claims AS c JOIN "locks" AS l ON l.key = c.key
WHERE l.owner = c.owner AND l.held_until > clock_timestamp()
OR (l.held_until IS NULL OR l.held_until <= clock_timestamp())
AND (l.line_until IS NULL OR l.line_until <= clock_timestamp())
FOR NO KEY UPDATE OF l SKIP LOCKED
), taken AS (
UPDATE "locks" AS l SET
version = CASE
WHEN l.owner = f.owner AND l.held_until > clock_timestamp() THEN l.version
ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
END,
owner = f.owner,
held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
shares = 0
FROM free AS f WHERE l.key = f.key
RETURNING l.owner, l.version
), made AS (
INSERT INTO "locks" AS l (key, version, owner, held_until)
SELECT c.key, greatest($4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), c.owner,
clock_timestamp() + interval '1 millisecond' * $3::double precision
FROM claims AS c WHERE NOT EXISTS (SELECT FROM "locks" AS present WHERE present.key = c.key)
ORDER BY c.key
ON CONFLICT (key) DO NOTHING
RETURNING l.owner, l.version, "locks_check_new"(l.version) AS checked
)
SELECT owner, version, NULL FROM taken UNION ALL SELECT owner, version, checked FROM made`,
  renewEach: `WITH held AS MATERIALIZED (
SELECT l.key FROM unnest($1::bytea[], $2::text[]) AS c(key, owner) JOIN "locks" AS l ON l.key = c.key
WHERE l.owner = c.owner AND l.held_until > clock_timestamp()
FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE "locks" AS l SET held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision
FROM held AS h WHERE l.key = h.key
RETURNING l.owner`,
  releaseEach: `WITH held AS MATERIALIZED (
SELECT l.key, l.owner FROM unnest($1::bytea[], $2::text[]) AS c(key, owner) JOIN "locks" AS l ON l.key = c.key
WHERE l.owner = c.owner AND l.held_until > clock_timestamp()
AND (l.line_until IS NULL OR l.line_until <= clock_timestamp())
FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE "locks" AS l SET owner = NULL, held_until = NULL
FROM held AS h WHERE l.key = h.key AND set_config('synchronous_commit', 'off', true) IS NOT NULL
RETURNING h.owner`,
  acquireFree: `INSERT INTO "locks" AS l (key, version, owner, held_until)
SELECT $1::bytea, greatest($4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), $2::text,
clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE $5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL
ON CONFLICT (key) DO UPDATE SET
version = CASE
WHEN l.owner = $2 AND l.held_until > clock_timestamp() THEN l.version
ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
END,
owner = $2,
held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
shares = 0
WHERE l.owner = $2 AND l.held_until > clock_timestamp()
OR (l.held_until IS NULL OR l.held_until <= clock_timestamp())
AND (l.line_until IS NULL OR l.line_until <= clock_timestamp())
RETURNING l.version, CASE WHEN l.xmax = 0 THEN "locks_check_new"(l.version) END`,
  attempt: `SELECT token, retry_ms, refusal, permits_in_use, turn_process, turn_owner
FROM "locks_acquire"(
$1::bytea, $2::text, $3::integer, $4::bigint, $5::integer, $6::boolean, $7::boolean, $8::text, $9::integer, $10::text[], $11::integer
)`,
  acquireAll: `SELECT "locks_acquire_all"($1::bytea[], $2::text[], $3::integer, $4::bigint, $5::integer)`,
  renew: `UPDATE "locks" AS l
SET held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision,
version = greatest(l.version, $4::bigint)
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
AND ($4::bigint IS NULL OR l.version <= $4::bigint)
AND ($5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL)
RETURNING 1`,
  renewAny: `SELECT renewed, turn_process, turn_owner
FROM "locks_renew"($1::bytea, $2::text, $3::integer, $4::bigint, $5::text, $6::integer)`,
  release: `UPDATE "locks" AS l SET owner = NULL, held_until = NULL
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
AND ($4::text IS NULL OR set_config('lock_timeout', $4::text, true) IS NOT NULL)
AND set_config('synchronous_commit', 'off', true) IS NOT NULL
RETURNING
CASE WHEN l.head_until > clock_timestamp() THEN l.head_process END,
CASE WHEN l.head_until > clock_timestamp() THEN l.head_owner END,
l.line_until > clock_timestamp() AND (
(l.head_until > clock_timestamp()) IS NOT TRUE
OR l.head_process <> $3::text AND "locks_ended"(l.head_process)
),
CASE WHEN l.head_until > clock_timestamp() AND l.head_process <> $3::text THEN
pg_notify('locks_' || l.head_process, l.head_owner)
END`,
  releaseAny: `SELECT freed, turn_process, turn_owner FROM "locks_release"($1::bytea, $2::text, $3::text, $4::integer)`,
  inspect: `WITH present AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT 'exclusive', l.owner, l.version, extract(epoch FROM l.held_until - now) * 1000
FROM "locks" AS l, present
WHERE l.key = $1::bytea AND l.owner IS NOT NULL AND l.held_until > now
UNION ALL
SELECT 'shared', s.owner, s.token, extract(epoch FROM s.expires - now) * 1000
FROM "locks" AS l JOIN "locks_shares" AS s ON s.key = l.key, present
WHERE l.key = $1::bytea AND l.owner IS NULL AND l.shares > 0 AND s.expires > now
UNION ALL
SELECT NULL, NULL, count(*), NULL
FROM "locks_line" AS w, present
WHERE w.key = $1::bytea AND w.deadline > now`,
  list: `SELECT encode(l.key, 'hex')
FROM "locks" AS l
WHERE l.key >= $1::bytea AND ($2::bytea IS NULL OR l.key < $2::bytea)
AND (l.held_until > clock_timestamp() OR l.line_until > clock_timestamp())
ORDER BY l.key
LIMIT $3::integer`,
  turns: `SELECT head.owner
FROM "locks" AS l
CROSS JOIN LATERAL (
SELECT w.owner, w.process, w.permits FROM "locks_line" AS w
WHERE w.key = l.key AND w.deadline > clock_timestamp()
AND (starts_with(w.process, $2::text) OR NOT "locks_ended"(w.process))
ORDER BY w.place LIMIT 1
) AS head
WHERE l.key = ANY ($1::bytea[]) AND starts_with(head.process, $2::text) AND (
l.held_until IS NULL OR l.held_until <= clock_timestamp()
OR head.permits IS NOT NULL AND l.owner IS NULL AND (head.permits = 0 OR head.permits > (
SELECT count(*) FROM "locks_shares" AS s WHERE s.key = l.key AND s.expires > clock_timestamp()
))
)`,
  echo: `SELECT pg_notify('locks_' || $1::text, '')`,
  findSchema: `SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('"locks_layout"')`,
  checkConnection: `SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('default_transaction_read_only'),
current_setting('default_transaction_isolation'), extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, layout.version, layout.readable_from,
row_security_active('"locks_layout"')
FROM (SELECT 1) AS one LEFT JOIN "locks_layout" AS layout ON true`,
  sweep: `WITH stretch AS MATERIALIZED (
SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
)
SELECT "locks_sweep"($1::bigint, $2::integer, $3::bytea, s.last), encode(s.last, 'hex') FROM stretch AS s`,
  time: `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  readRegister: `SELECT l.owner FROM "locks" AS l WHERE l.key = $1::bytea AND l.owner IS NOT NULL`,
  makeRegister: `INSERT INTO "locks" AS l (key, version, owner)
SELECT $1::bytea, 9223372036854775807, $2::text
WHERE $3::text IS NULL OR set_config('lock_timeout', $3::text, true) IS NOT NULL
ON CONFLICT (key) DO UPDATE SET version = excluded.version, owner = excluded.owner
WHERE l.owner IS NULL
RETURNING 1`,
  changeRegister: `UPDATE "locks" AS l
SET version = CASE WHEN $3::text IS NULL THEN 0 ELSE 9223372036854775807 END, owner = $3::text
WHERE l.key = $1::bytea AND l.owner = $2::text
AND ($4::text IS NULL OR set_config('lock_timeout', $4::text, true) IS NOT NULL)
RETURNING 1`,
};
