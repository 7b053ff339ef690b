-- The line of a key, and how its first waiter is told.

-- name: head
-- The first in line on a key.
-- ?        1 key (hexadecimal)
-- Returns  its process and owner.
SELECT `head_process` AS process, `head_owner` AS owner FROM `locks` WHERE `key` = UNHEX(?) AND `head_owner` IS NOT NULL

-- name: turns
-- The waiters of this process that are first in line on one of some keys, and can go. Also keys
-- whose first in line has ended: the procedure finds the next one.
-- ?        1 this process, under whose name its sessions begin, 2 and on: keys (hexadecimal), and
--          this process again
-- Returns  the owners, or NULL with the key (hexadecimal).
SELECT IF(LOCATE(?, `head_process`) = 1, `head_owner`, NULL) AS owner, HEX(`key`) AS `key` FROM `locks`
WHERE `key` IN ({keys}) AND IF(
  LOCATE(?, `head_process`) = 1,
  `held_until` IS NULL
    OR `held_until` <= {clock}
    OR (`owner` IS NULL AND `head_permits` IS NOT NULL AND (`head_permits` = 0 OR `shares` < `head_permits`)),
  (`held_until` IS NULL OR `held_until` <= {clock} OR `owner` IS NULL)
    AND LOCATE('+', `head_process`) > 0
    AND SUBSTRING_INDEX(`head_process`, '@', -1) = LEFT(MD5(CONCAT_WS(' ', @@hostname, @@port, @@server_id)), 8)
    AND IS_USED_LOCK(CONCAT('locks_', `head_process`)) IS NULL
)
