-- Frees the key if this owner has it exclusively.
-- ?        1 this process, 2 key (hexadecimal), 3 how long it may have waited for the row (µs), 4 owner
-- Returns  as insertId 0: it did not have it. 1: freed, nobody is in line. 2: the first in line is in another process, which looks by
--          itself. 3: it is in this process. 4: the first in line may be gone.
-- Whoever has it exclusively has no sharers: shares stays 0, and carries the answer.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `shares` = 0 * LAST_INSERT_ID(CASE WHEN `line_until` IS NULL THEN 1 WHEN `head_until` > {clock} THEN IF(`head_process` = ?, 3, 2) ELSE 4 END),
  `owner` = NULL,
  `held_until` = NULL
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` = ? AND `held_until` > {clock}
