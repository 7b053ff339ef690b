-- Registers: a short text under a name, which lasts until a client changes it. Each is a row that
-- is no key's. Its key is the byte 254, which UTF-8 does not have, and the name. Its owner is the
-- text, and it is not held. No version is higher than that of a row with a text, so no sweep
-- removes it.

-- name: read-register
-- The text of a register.
-- ?        1 key (hexadecimal)
-- Returns  owner, or no row.
SELECT `owner` FROM `locks` WHERE `key` = UNHEX(?) AND `owner` IS NOT NULL

-- name: make-register
-- Makes the row of a register, without a text.
-- ?        1 key (hexadecimal)
-- Returns  nothing.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
INSERT /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ INTO `locks` (`key`, `version`) VALUES (UNHEX(?), 0)
ON DUPLICATE KEY UPDATE `version` = `version`

-- name: change-register
-- Changes the text of a register. A row without a text is left for the sweep.
-- ?        1 and 2 the text that it gets, or NULL, 3 key (hexadecimal), 4 how long it may have
--          waited for the row (µs), 5 the text that it must have, or NULL
-- Returns  how many rows as affected rows.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = IF(? IS NULL, 0, 9223372036854775807), `owner` = ?
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` <=> ?
