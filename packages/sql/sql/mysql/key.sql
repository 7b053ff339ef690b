-- One key: its holders, and what its holders and waiters ask for.

-- name: acquire-free
-- Takes a key exclusively if it has no holder and no queue, or restarts the ttl of this owner's
-- hold: one compare-and-set on its row.
-- ?        1 owner, 2 the token must exceed this, 3 owner, 4 ttl (µs), 5 key (hexadecimal),
--          6 how long it may have waited for the row (µs), 7 owner
-- Returns  as insertId the token; 0: not free, or there is no such row.
-- {seconds} is how long it may wait for the row at most: MariaDB reads the first comment, MySQL the
-- second. Each expression reads only columns that are assigned after it. So it gives the same
-- whether or not an assignment sees those before it.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = LAST_INSERT_ID(IF(`owner` <=> ? AND `held_until` > {clock}, `version`, GREATEST(`version` + 1, CAST(? AS SIGNED) + 1, {clock}))),
  `owner` = ?,
  `held_until` = {clock} + CAST(? AS SIGNED)
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND (
  (`shares` = 0 AND `queue_until` IS NULL AND (`held_until` IS NULL OR `held_until` <= {clock}))
  OR (`owner` = ? AND `held_until` > {clock})
)

-- name: act
-- All that one statement on the key's row cannot decide: see the procedure.
-- ?        1 acquire, renew or release; 2 key (hexadecimal), 3 owner, 4 ttl (µs), 5 floor or token,
--          6 permits, 7 process, 8 ttl of a place (µs), 9 other owners, 10 owners of claims that
--          join the queue behind it, 11 no attempt of it was granted yet, 12 how long it may have
--          waited for the row (µs)
-- Returns  outcome, answer, the first in the queue that can go (turn_process, turn_owner), what it
--          was given (turn_token, turn_span in µs; NULL: it has to try), kept_owner: the first in
--          the queue, whose place this kept and who cannot go yet, and missing: other owners that
--          are not in the queue, and further ones that did not join it (hexadecimal, with commas;
--          NULL: none).
CALL `locks_act_and_wake`(
  ?, UNHEX(?), ?, CAST(? AS SIGNED), CAST(? AS SIGNED), CAST(? AS SIGNED), ?, CAST(? AS SIGNED), ?, ?,
  CAST(? AS SIGNED), UTC_TIMESTAMP(6), CAST(? AS SIGNED)
)

-- name: renew
-- Restarts the ttl of an exclusive hold.
-- ?        1 NULL or the token that this lease gets, 2 ttl (µs), 3 key (hexadecimal), 4 how long it
--          may have waited for the row (µs), 5 owner, 6 as 1
-- Returns  as insertId the token; 0: this owner does not hold it exclusively, or its token is
--          higher.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = LAST_INSERT_ID(GREATEST(`version`, COALESCE(CAST(? AS SIGNED), `version`))),
  `held_until` = {clock} + CAST(? AS SIGNED)
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` = ? AND `held_until` > {clock}
  AND `version` <= COALESCE(CAST(? AS SIGNED), `version`)

-- name: release
-- Frees a key without a queue, if this owner holds it exclusively.
-- ?        1 key (hexadecimal), 2 how long it may have waited for the row (µs), 3 owner
-- Returns  as insertId 1: freed. 0: this owner does not hold it, or there is a queue.
-- An exclusive hold has no sharers beside it, so shares stays 0, and carries the answer.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `shares` = 0 * LAST_INSERT_ID(1),
  `owner` = NULL,
  `held_until` = NULL
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `owner` = ? AND `held_until` > {clock} AND `queue_until` IS NULL

-- name: inspect
-- The holders of a key, and how many claims wait: see the procedure.
-- ?        1 key (hexadecimal)
-- Returns  mode, owner, token, remaining.
CALL `locks_inspect`(UNHEX(?))

-- name: list
-- The keys of a range that are held or waited for, in the order of their bytes.
-- ?        1 the first key, 2 the key after the last, 3 the key before the first (all hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `key` >= UNHEX(?) AND `key` < UNHEX(?) AND `key` > UNHEX(?) AND (`held_until` > {clock} OR `queue_until` > {clock})
ORDER BY `locks`.`key` LIMIT {limit}
