-- The calls of a provider with option routines=false, on the one table of four columns.

-- name: now
-- Part of other statements, in place of {now}: the server's clock when the statement began, the
-- same at each place of the statement.
-- Returns  the microseconds since 1970 in UTC.
TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))

-- name: acquire
-- Takes a key that is free, or restarts the ttl of this owner's hold: one conditional write.
-- ?        1 key (hexadecimal), 2 the token must exceed this, 3 owner, 4 ttl (µs), 5 owner, 6 as 2,
--          7 owner, 8 owner, 9 ttl (µs)
-- Returns  as insertId the token; 0: another owner holds it.
-- {seconds} is how long it may wait for the row at most: MariaDB reads the first comment, MySQL the
-- second. {now} is the same before and after the wait for the row: the decision is one, and a hold
-- counts from before the wait. A call that takes effect late therefore holds no longer than one
-- that took effect at once. Each expression is right whether it sees the columns before or after
-- the assignments above it. Without column names it fails once the table has more columns: then its
-- keys are for clients with routines.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
INSERT /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ INTO `locks` VALUES (
  UNHEX(?),
  LAST_INSERT_ID(GREATEST(
    CAST(? AS SIGNED) + 1,
    COALESCE((SELECT `version` FROM (SELECT `version` FROM `locks` WHERE `key` = X'FF' LIMIT 1) AS `removed`), 0) + 1,
    {now}
  )),
  ?,
  {now} + CAST(? AS SIGNED)
) ON DUPLICATE KEY UPDATE
  `version` = IF(
    `held_until` > {now} AND NOT `owner` <=> ?,
    `version` + LAST_INSERT_ID(0),
    LAST_INSERT_ID(IF(`held_until` > {now}, `version`, GREATEST(`version` + 1, CAST(? AS SIGNED) + 1, {now})))
  ),
  `owner` = IF(`held_until` > {now}, `owner`, ?),
  `held_until` = IF(`held_until` > {now} AND NOT `owner` <=> ?, `held_until`, {now} + CAST(? AS SIGNED))

-- name: release
-- Ends a hold. The row stays, and with it the version.
-- ?        1 key (hexadecimal), 2 how long it may have waited for the row (µs), 3 owner
-- Returns  as insertId 1 if it was held.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = `version` + LAST_INSERT_ID(1) - 1, `owner` = NULL, `held_until` = NULL
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` = ? AND `held_until` > {clock}

-- name: inspect
-- The holder of a key.
-- ?        1 key (hexadecimal)
-- Returns  owner, token, remaining (µs), or no row.
SELECT `owner`, CAST(`version` AS CHAR) AS token, CAST(`held_until` - {now} AS CHAR) AS remaining
FROM `locks` WHERE `key` = UNHEX(?) AND `owner` IS NOT NULL AND `held_until` > {now}

-- name: list
-- The keys of a range that are held, in the order of their bytes.
-- ?        1 the first key, 2 the key after the last, 3 the key before the first (all hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `key` >= UNHEX(?) AND `key` < UNHEX(?) AND `key` > UNHEX(?) AND `owner` IS NOT NULL AND `held_until` > {now}
ORDER BY `locks`.`key` LIMIT {limit}
