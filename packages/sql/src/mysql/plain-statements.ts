// Written by scripts/embed-sql.mjs from sql/mysql/plain/*.sql at each build. Change those.

/** The statements, with the default names of the tables. */
export const statements: Readonly<
  Record<
    | 'now'
    | 'acquire'
    | 'release'
    | 'inspect'
    | 'list'
    | 'checkConnection'
    | 'findRemoved'
    | 'writeRemoved'
    | 'raiseRemoved'
    | 'idle'
    | 'remove'
    | 'table',
    string
  >
> = {
  now: `TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))`,
  acquire: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
INSERT /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ INTO \`locks\` VALUES (
UNHEX(?),
LAST_INSERT_ID(GREATEST(
CAST(? AS SIGNED) + 1,
COALESCE((SELECT \`version\` FROM (SELECT \`version\` FROM \`locks\` WHERE \`key\` = X'FF' LIMIT 1) AS \`removed\`), 0) + 1,
{now}
)),
?,
{now} + CAST(? AS SIGNED)
) ON DUPLICATE KEY UPDATE
\`version\` = IF(
\`held_until\` > {now} AND NOT \`owner\` <=> ?,
\`version\` + LAST_INSERT_ID(0),
LAST_INSERT_ID(IF(\`held_until\` > {now}, \`version\`, GREATEST(\`version\` + 1, CAST(? AS SIGNED) + 1, {now})))
),
\`owner\` = IF(\`held_until\` > {now}, \`owner\`, ?),
\`held_until\` = IF(\`held_until\` > {now} AND NOT \`owner\` <=> ?, \`held_until\`, {now} + CAST(? AS SIGNED))`,
  release: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ \`locks\` SET
\`version\` = \`version\` + LAST_INSERT_ID(1) - 1, \`owner\` = NULL, \`held_until\` = NULL
WHERE \`key\` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND \`owner\` = ? AND \`held_until\` > {clock}`,
  inspect: `SELECT \`owner\`, CAST(\`version\` AS CHAR) AS token, CAST(\`held_until\` - {now} AS CHAR) AS remaining
FROM \`locks\` WHERE \`key\` = UNHEX(?) AND \`owner\` IS NOT NULL AND \`held_until\` > {now}`,
  list: `SELECT HEX(\`key\`) AS \`key\` FROM \`locks\`
WHERE \`key\` >= UNHEX(?) AND \`key\` < UNHEX(?) AND \`key\` > UNHEX(?) AND \`owner\` IS NOT NULL AND \`held_until\` > {now}
ORDER BY \`locks\`.\`key\` LIMIT {limit}`,
  checkConnection: `SELECT VERSION() AS server, @@session.autocommit AS autocommit,
CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') AS read_only,
found.home, found.columns
FROM (
SELECT
CAST(MIN(table_schema) AS CHAR) AS home,
CAST(GROUP_CONCAT(column_name, ' ', data_type ORDER BY ordinal_position SEPARATOR ', ') AS CHAR) AS columns
FROM information_schema.columns WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?
) AS found`,
  findRemoved: `SELECT 1 AS found FROM \`locks\` WHERE \`key\` = X'FF'`,
  writeRemoved: `INSERT INTO \`locks\` VALUES (X'FF', 0, NULL, NULL) ON DUPLICATE KEY UPDATE \`version\` = \`version\``,
  raiseRemoved: `INSERT INTO \`locks\` VALUES (X'FF', LAST_INSERT_ID({now} - CAST(? AS SIGNED)), NULL, NULL)
ON DUPLICATE KEY UPDATE \`version\` = LAST_INSERT_ID(GREATEST(\`version\`, {now} - CAST(? AS SIGNED)))`,
  idle: `SELECT HEX(\`key\`) AS \`key\` FROM \`locks\`
WHERE \`version\` < CAST(? AS SIGNED) AND \`key\` > UNHEX(?) AND \`key\` <= COALESCE(UNHEX(?), X'FF') AND \`key\` < X'FF'
AND (\`held_until\` IS NULL OR \`held_until\` <= {now})
LIMIT {limit}`,
  remove: `DELETE FROM \`locks\`
WHERE \`version\` < CAST(? AS SIGNED) AND (\`held_until\` IS NULL OR \`held_until\` <= {now}) AND \`key\` IN ({keys})`,
  table: `CREATE TABLE \`locks\` (
\`key\` VARBINARY(512) NOT NULL,
\`version\` BIGINT NOT NULL,
\`owner\` VARBINARY(255) NULL,
\`held_until\` BIGINT NULL,
PRIMARY KEY (\`key\`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
};
