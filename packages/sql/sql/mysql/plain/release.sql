-- Ends a hold. The row stays, and with it the version.
-- ?        1 key (hexadecimal), 2 how long it may have waited for the row (µs), 3 owner
-- Returns  as insertId 1 if it was held.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = `version` + LAST_INSERT_ID(1) - 1, `owner` = NULL, `held_until` = NULL
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` = ? AND `held_until` > {clock}
