// Written by scripts/embed-sql.mjs from sql/mysql/*.sql; a test compares them. Change those and run it again.

/** The statements, with the default names of the tables. */
export const statements: Readonly<Record<'clock' | 'elapsed' | 'acquireFree' | 'acquireAll' | 'act' | 'renew' | 'release' | 'inspect' | 'list' | 'head' | 'turns' | 'findSchema' | 'checkConnection' | 'sweepStretch' | 'sweep' | 'time' | 'readRegister' | 'makeRegister' | 'changeRegister', string>> = {
  clock: `(TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + {elapsed})`,
  elapsed: `(MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000)`,
  acquireFree: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ \`locks\` SET
\`version\` = LAST_INSERT_ID(IF(\`owner\` <=> ? AND \`held_until\` > {clock}, \`version\`, GREATEST(\`version\` + 1, CAST(? AS SIGNED) + 1, {clock}))),
\`owner\` = ?,
\`held_until\` = {clock} + CAST(? AS SIGNED)
WHERE \`key\` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND (
(\`shares\` = 0 AND \`line_until\` IS NULL AND (\`held_until\` IS NULL OR \`held_until\` <= {clock}))
OR (\`owner\` = ? AND \`held_until\` > {clock})
)`,
  acquireAll: `CALL \`locks_acquire_all\`(?, ?, CAST(? AS SIGNED), CAST(? AS SIGNED), UTC_TIMESTAMP(6), CAST(? AS SIGNED))`,
  act: `CALL \`locks_act\`(
?, UNHEX(?), ?, CAST(? AS SIGNED), CAST(? AS SIGNED), CAST(? AS SIGNED), ?, CAST(? AS SIGNED), ?,
CAST(? AS SIGNED), UTC_TIMESTAMP(6), CAST(? AS SIGNED)
)`,
  renew: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ \`locks\` SET
\`version\` = LAST_INSERT_ID(GREATEST(\`version\`, COALESCE(CAST(? AS SIGNED), \`version\`))),
\`held_until\` = {clock} + CAST(? AS SIGNED)
WHERE \`key\` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND \`owner\` = ? AND \`held_until\` > {clock}
AND \`version\` <= COALESCE(CAST(? AS SIGNED), \`version\`)`,
  release: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ \`locks\` SET
\`shares\` = 0 * LAST_INSERT_ID(CASE WHEN \`line_until\` IS NULL THEN 1 WHEN \`head_until\` > {clock} THEN IF(\`head_process\` = ?, 3, 2) ELSE 4 END),
\`owner\` = NULL,
\`held_until\` = NULL
WHERE \`key\` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND \`owner\` = ? AND \`held_until\` > {clock}`,
  inspect: `CALL \`locks_inspect\`(UNHEX(?))`,
  list: `SELECT HEX(\`key\`) AS \`key\` FROM \`locks\`
WHERE \`key\` >= UNHEX(?) AND \`key\` < UNHEX(?) AND \`key\` > UNHEX(?) AND (\`held_until\` > {clock} OR \`line_until\` > {clock})
ORDER BY \`locks\`.\`key\` LIMIT {limit}`,
  head: `SELECT \`head_process\` AS process, \`head_owner\` AS owner FROM \`locks\` WHERE \`key\` = UNHEX(?) AND \`head_owner\` IS NOT NULL`,
  turns: `SELECT \`head_owner\` AS owner FROM \`locks\` WHERE \`head_process\` = ? AND \`key\` IN ({keys}) AND (
\`held_until\` IS NULL
OR \`held_until\` <= {clock}
OR (\`owner\` IS NULL AND \`head_permits\` IS NOT NULL AND (\`head_permits\` = 0 OR \`shares\` < \`head_permits\`))
)`,
  findSchema: `SELECT CAST(table_schema AS CHAR) AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?`,
  checkConnection: `SELECT CAST(\`version\` AS CHAR) AS layout, CAST(\`readable_from\` AS CHAR) AS readable_from, VERSION() AS server, @@session.autocommit AS autocommit, @@global.read_only AS read_only,
SLEEP(0.0001) AS slept, SYSDATE(6) > NOW(6) AS moves
FROM \`locks_layout\``,
  sweepStretch: `SELECT HEX(\`key\`) AS \`key\` FROM \`locks\` WHERE \`key\` > UNHEX(?) ORDER BY \`locks\`.\`key\` LIMIT 1 OFFSET {offset}`,
  sweep: `CALL \`locks_sweep\`(CAST(? AS SIGNED), CAST(? AS SIGNED), UNHEX(?), UNHEX(?))`,
  time: `SELECT CAST({clock} DIV 1000 AS CHAR) AS \`time\``,
  readRegister: `SELECT \`owner\` FROM \`locks\` WHERE \`key\` = UNHEX(?) AND \`owner\` IS NOT NULL`,
  makeRegister: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
INSERT /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ INTO \`locks\` (\`key\`, \`version\`) VALUES (UNHEX(?), 0)
ON DUPLICATE KEY UPDATE \`version\` = \`version\``,
  changeRegister: `/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ \`locks\` SET
\`version\` = IF(? IS NULL, 0, 9223372036854775807), \`owner\` = ?
WHERE \`key\` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND \`owner\` <=> ?`,
};
