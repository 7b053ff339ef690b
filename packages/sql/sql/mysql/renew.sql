-- Restarts the ttl of an exclusive hold.
-- ?        1 NULL or the token that this lease gets, 2 ttl (µs), 3 key (hexadecimal), 4 how long it may have waited for the row (µs), 5 owner,
--          6 as 1
-- Returns  as insertId the token; 0: not held exclusively by this owner, or its own token is higher
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = LAST_INSERT_ID(GREATEST(`version`, COALESCE(CAST(? AS SIGNED), `version`))),
  `held_until` = {clock} + CAST(? AS SIGNED)
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` = ? AND `held_until` > {clock}
  AND `version` <= COALESCE(CAST(? AS SIGNED), `version`)
