// Written by scripts/embed-sql.mjs from sql/postgres/plain/*.sql at each build. Change those.

/** The statements, with the default names of the tables. */
export const statements: Readonly<
  Record<'acquire' | 'release' | 'inspect' | 'list' | 'checkConnection' | 'raiseRemoved' | 'remove' | 'table', string>
> = {
  acquire: `INSERT INTO "locks" AS l (key, version, owner, held_until)
SELECT $1::bytea,
greatest(
$4::bigint + 1,
(SELECT removed.version + 1 FROM "locks" AS removed WHERE removed.key = '\\xff'::bytea),
(extract(epoch FROM clock_timestamp()) * 1000000)::bigint
),
$2::text, clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE NOT EXISTS (SELECT FROM "locks" AS h WHERE h.key = $1::bytea AND h.owner <> $2::text AND h.held_until > clock_timestamp())
AND ($5::text IS NULL OR set_config('lock_timeout', $5::text, true) IS NOT NULL)
ON CONFLICT (key) DO UPDATE SET
version = CASE
WHEN l.owner = $2 AND l.held_until > clock_timestamp() THEN l.version
ELSE greatest(l.version + 1, $4::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
END,
owner = $2,
held_until = clock_timestamp() + interval '1 millisecond' * $3::double precision
WHERE l.owner = $2 OR l.held_until IS NULL OR l.held_until <= clock_timestamp()
RETURNING l.version, ROW(l.key, l.version, l.owner, l.held_until)::"locks" IS NULL`,
  release: `UPDATE "locks" AS l SET owner = NULL, held_until = NULL
WHERE l.key = $1::bytea AND l.owner = $2::text AND l.held_until > clock_timestamp()
AND ($3::text IS NULL OR set_config('lock_timeout', $3::text, true) IS NOT NULL)
RETURNING 1`,
  inspect: `WITH present AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT l.owner, l.version, extract(epoch FROM l.held_until - now) * 1000
FROM "locks" AS l, present
WHERE l.key = $1::bytea AND l.owner IS NOT NULL AND l.held_until > now`,
  list: `SELECT encode(l.key, 'hex')
FROM "locks" AS l
WHERE l.key >= $1::bytea AND ($2::bytea IS NULL OR l.key < $2::bytea)
AND l.owner IS NOT NULL AND l.held_until > clock_timestamp()
ORDER BY l.key
LIMIT $3::integer`,
  checkConnection: `SELECT current_setting('server_version_num') AS server, pg_is_in_recovery() AS standby,
current_setting('default_transaction_read_only') AS read_only,
current_setting('default_transaction_isolation') AS isolation,
extract(epoch FROM current_setting('statement_timeout')::interval) * 1000 AS ends_after,
(
SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass('"locks"')
),
(
SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum)
FROM pg_attribute AS a
WHERE a.attrelid = to_regclass('"locks"') AND a.attnum > 0 AND NOT a.attisdropped
) AS columns`,
  raiseRemoved: `INSERT INTO "locks" AS l (key, version)
VALUES ('\\xff'::bytea, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint * 1000)
ON CONFLICT (key) DO UPDATE SET version = greatest(l.version, excluded.version)
RETURNING l.version, ROW(l.key, l.version, l.owner, l.held_until)::"locks" IS NULL`,
  remove: `WITH stretch AS MATERIALIZED (
SELECT (SELECT l.key FROM "locks" AS l WHERE l.key > $3::bytea ORDER BY l.key OFFSET $4::integer - 1 LIMIT 1) AS last
), idle AS MATERIALIZED (
SELECT l.key FROM "locks" AS l, stretch AS s
WHERE l.key > $3::bytea AND l.key <= coalesce(s.last, '\\xff'::bytea) AND l.key < '\\xff'::bytea
AND l.version < $1::bigint AND (l.held_until IS NULL OR l.held_until <= clock_timestamp())
LIMIT $2::integer
FOR UPDATE OF l SKIP LOCKED
), removed AS (
DELETE FROM "locks" AS l USING idle WHERE l.key = idle.key
RETURNING ROW(l.key, l.version, l.owner, l.held_until)::"locks"
)
SELECT (SELECT count(*) FROM removed), encode(s.last, 'hex') FROM stretch AS s`,
  table: `CREATE TABLE "locks" (
key bytea PRIMARY KEY,
version bigint NOT NULL,
owner text,
held_until timestamptz
) WITH (fillfactor = 50)`,
};
