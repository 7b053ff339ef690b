-- Takes a key that is free, or restarts the ttl of this owner's hold: one conditional write.
-- ?        1 key (hexadecimal), 2 the token must exceed this, 3 owner, 4 ttl (µs), 5 owner, 6 as 2, 7 owner, 8 owner, 9 ttl (µs)
-- Returns  as insertId the token; 0: somebody else holds it.
-- {seconds} is how long it may wait for the row at most: MariaDB reads the first comment, MySQL the second.
-- {now} is the same before and after the wait for the row: the decision is one, and a hold counts from before the wait. A call that
-- takes effect late therefore holds no longer than one that took effect at once.
-- Each expression is right whether it sees the columns before or after the assignments above it.
-- Without column names it fails once the table has more columns: then its keys are for clients with routines.
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
