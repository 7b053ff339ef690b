// Written by scripts/embed-sql.mjs from sql/sqlite/*.sql; a test compares them. Change those and run it again.

/** The statements, with the default names of the tables. */
export const statements: Readonly<Record<'acquireFree' | 'renewHeld' | 'releaseHeld' | 'readKey' | 'readSwept' | 'writeKey' | 'inspect' | 'list' | 'keepPlace' | 'takePlace' | 'keepOthers' | 'leaveLine' | 'headOfLine' | 'hastenLapse' | 'permitsInLine' | 'purgeLine' | 'readLine' | 'turns' | 'readLayout' | 'readHost' | 'lastTouched' | 'writeBoot' | 'voidKeys' | 'voidShares' | 'voidLine' | 'sweepStretch' | 'sweepable' | 'sweep' | 'sweepShares' | 'sweepLine' | 'raiseSwept' | 'readRegister' | 'writeRegister' | 'removeRegister' | 'findShare' | 'readShares' | 'writeShare' | 'removeShare' | 'purgeShares', string>> = {
  acquireFree: `INSERT INTO "locks" (key, version, owner, held_until, touched)
VALUES (:key, max(:least, (SELECT swept + 1 FROM "locks_host")), :owner, :until, :now)
ON CONFLICT (key) DO UPDATE SET
version = CASE WHEN owner = :owner AND held_until > :now THEN version ELSE max(version + 1, :least) END,
owner = :owner,
held_until = :until,
touched = :now
WHERE (owner = :owner AND held_until > :now)
OR (version < 9007199254740992 AND line_until IS NULL AND (held_until IS NULL OR (owner IS NOT NULL AND held_until <= :now)))
RETURNING version`,
  renewHeld: `UPDATE "locks" SET
held_until = :until,
version = coalesce(:token, version),
touched = :now
WHERE key = :key AND owner = :owner AND held_until > :now AND version <= coalesce(:token, version)
RETURNING version`,
  releaseHeld: `UPDATE "locks" SET owner = NULL, held_until = NULL, touched = :now
WHERE key = :key AND owner = :owner AND held_until > :now AND line_until IS NULL
RETURNING version`,
  readKey: `SELECT version, owner, held_until, line_until, next_lapse FROM "locks" WHERE key = :key`,
  readSwept: `SELECT swept FROM "locks_host"`,
  writeKey: `INSERT INTO "locks" (key, version, owner, held_until, line_until, next_lapse, touched)
VALUES (:key, :version, :owner, :held_until, :line_until, :next_lapse, :now)
ON CONFLICT (key) DO UPDATE SET
version = excluded.version,
owner = excluded.owner,
held_until = excluded.held_until,
line_until = excluded.line_until,
next_lapse = excluded.next_lapse,
touched = excluded.touched`,
  inspect: `SELECT 'exclusive' AS mode, owner, version AS token, held_until AS expires
FROM "locks" WHERE key = :key AND owner IS NOT NULL AND held_until > :now
UNION ALL
SELECT 'shared', owner, token, expires FROM "locks_shares" WHERE key = :key AND expires > :now
UNION ALL
SELECT NULL, NULL, count(*), NULL FROM "locks_line" WHERE key = :key AND deadline > :now
ORDER BY token`,
  list: `SELECT key FROM "locks" AS record
WHERE key >= :from
AND (:after IS NULL OR key > :after)
AND (:before IS NULL OR key < :before)
AND (
(owner IS NOT NULL AND held_until > :now)
OR (held_until > :now AND EXISTS (SELECT 1 FROM "locks_shares" WHERE key = record.key AND expires > :now))
OR (line_until > :now AND EXISTS (SELECT 1 FROM "locks_line" WHERE key = record.key AND deadline > :now))
)
ORDER BY key
LIMIT :limit`,
  keepPlace: `UPDATE "locks_line" SET process = :process, permits = :permits, seen = :now, deadline = :deadline
WHERE key = :key AND owner = :owner
RETURNING place`,
  takePlace: `INSERT INTO "locks_line" (key, place, owner, process, permits, seen, deadline)
VALUES (
:key,
(SELECT coalesce(max(place), 0) + 1 FROM "locks_line" WHERE key = :key),
:owner, :process, :permits, :now, :deadline
)`,
  keepOthers: `UPDATE "locks_line" SET seen = :now, deadline = :deadline
WHERE key = :key AND owner IN (SELECT value FROM json_each(:owners))`,
  leaveLine: `DELETE FROM "locks_line" WHERE key = :key AND owner = :owner`,
  headOfLine: `SELECT owner, process, permits, deadline, deadline - seen AS lasts FROM "locks_line"
WHERE key = :key AND (:ended = '[]' OR process NOT IN (SELECT value FROM json_each(:ended)))
ORDER BY place LIMIT 1`,
  hastenLapse: `UPDATE "locks_line" SET seen = seen - (deadline - :deadline), deadline = :deadline WHERE key = :key AND owner = :owner`,
  permitsInLine: `SELECT permits FROM "locks_line" WHERE key = :key AND permits >= 0 AND owner <> :owner LIMIT 1`,
  purgeLine: `DELETE FROM "locks_line" WHERE key = :key AND deadline <= :now`,
  readLine: `SELECT min(deadline) AS first, max(deadline) AS last FROM "locks_line" WHERE key = :key`,
  turns: `SELECT
CASE WHEN head.process = :process AND (
record.held_until IS NULL
OR record.held_until <= :now
OR (record.owner IS NULL AND head.permits IS NOT NULL AND (head.permits = 0 OR abs(head.permits) > (
SELECT count(*) FROM "locks_shares" WHERE key = record.key AND expires > :now
)))
) THEN head.owner END AS owner,
min(
head.deadline,
coalesce(
CASE
WHEN record.owner IS NULL THEN (SELECT min(expires) FROM "locks_shares" WHERE key = record.key AND expires > :now)
WHEN record.held_until > :now THEN record.held_until
END,
head.deadline
)
) AS changes,
record.version,
head.place,
head.process
FROM json_each(:keys) AS wanted
JOIN "locks" AS record ON record.key = wanted.value
JOIN "locks_line" AS head ON head.key = record.key AND head.place = (
SELECT place FROM "locks_line"
WHERE key = record.key AND deadline > :now
AND (:ended = '[]' OR process NOT IN (SELECT value FROM json_each(:ended)))
ORDER BY place LIMIT 1
)`,
  readLayout: `SELECT version, readable_from FROM "locks_layout" ORDER BY version DESC LIMIT 1`,
  readHost: `SELECT boot FROM "locks_host"`,
  lastTouched: `SELECT max(touched) AS touched FROM "locks"`,
  writeBoot: `UPDATE "locks_host" SET boot = :boot`,
  voidKeys: `UPDATE "locks" SET owner = NULL, held_until = NULL, line_until = NULL, next_lapse = NULL, touched = 0
WHERE touched > 0`,
  voidShares: `DELETE FROM "locks_shares"`,
  voidLine: `DELETE FROM "locks_line"`,
  sweepStretch: `SELECT key FROM "locks" WHERE key > :after AND key < x'' ORDER BY key LIMIT 1 OFFSET :length`,
  sweepable: `SELECT key FROM "locks"
WHERE key > :after
AND (:to IS NULL OR key <= :to)
AND version < :older
AND (held_until IS NULL OR held_until <= :now)
AND (line_until IS NULL OR line_until <= :now)
LIMIT 1`,
  sweep: `DELETE FROM "locks"
WHERE key > :after
AND (:to IS NULL OR key <= :to)
AND version < :older
AND (held_until IS NULL OR held_until <= :now)
AND (line_until IS NULL OR line_until <= :now)
RETURNING key, version`,
  sweepShares: `DELETE FROM "locks_shares" WHERE key IN (SELECT value FROM json_each(:keys))`,
  sweepLine: `DELETE FROM "locks_line" WHERE key IN (SELECT value FROM json_each(:keys))`,
  raiseSwept: `UPDATE "locks_host" SET swept = max(swept, :version)`,
  readRegister: `SELECT owner FROM "locks" WHERE key = CAST(:name AS BLOB)`,
  writeRegister: `INSERT INTO "locks" (key, version, owner) VALUES (CAST(:name AS BLOB), 9007199254740991, :text)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner`,
  removeRegister: `DELETE FROM "locks" WHERE key = CAST(:name AS BLOB)`,
  findShare: `SELECT token FROM "locks_shares" WHERE key = :key AND owner = :owner`,
  readShares: `SELECT count(*) AS number, min(expires) AS first, max(expires) AS last, max(permits) AS permits
FROM "locks_shares" WHERE key = :key`,
  writeShare: `INSERT INTO "locks_shares" (key, owner, token, permits, expires) VALUES (:key, :owner, :token, :permits, :until)
ON CONFLICT (key, owner) DO UPDATE SET token = excluded.token, expires = excluded.expires`,
  removeShare: `DELETE FROM "locks_shares" WHERE key = :key AND owner = :owner`,
  purgeShares: `DELETE FROM "locks_shares" WHERE key = :key AND expires <= :now`,
};
