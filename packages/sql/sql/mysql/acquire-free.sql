-- Takes the key exclusively if nobody has it or waits for it, or restarts the ttl if this owner has it: one compare-and-set on its row.
-- ?        1 owner, 2 the token must exceed this, 3 owner, 4 ttl (µs), 5 key (hexadecimal), 6 how long it may have waited for the row (µs), 7 owner
-- Returns  as insertId the token; 0: not free, or there is no such row.
-- {seconds} is how long it may wait for the row at most: MariaDB reads the first comment, MySQL the second.
-- Each expression reads only columns that are assigned after it, so that it does not matter whether assignments see those before them.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = LAST_INSERT_ID(IF(`owner` <=> ? AND `held_until` > {clock}, `version`, GREATEST(`version` + 1, CAST(? AS SIGNED) + 1, {clock}))),
  `owner` = ?,
  `held_until` = {clock} + CAST(? AS SIGNED)
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND (
  (`shares` = 0 AND `line_until` IS NULL AND (`held_until` IS NULL OR `held_until` <= {clock}))
  OR (`owner` = ? AND `held_until` > {clock})
)
