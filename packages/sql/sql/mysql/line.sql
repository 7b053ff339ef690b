-- The line of a key, and how its first waiter is told.

-- name: head
-- The first in line on a key.
-- ?        1 key (hexadecimal)
-- Returns  its process and owner.
SELECT `head_process` AS process, `head_owner` AS owner FROM `locks` WHERE `key` = UNHEX(?) AND `head_owner` IS NOT NULL

-- name: turns
-- The waiters of this process that are first in line on one of some keys, and can go.
-- ?        1 this process, 2 and on: keys (hexadecimal)
-- Returns  the owners.
SELECT `head_owner` AS owner FROM `locks` WHERE `head_process` = ? AND `key` IN ({keys}) AND (
  `held_until` IS NULL
  OR `held_until` <= {clock}
  OR (`owner` IS NULL AND `head_permits` IS NOT NULL AND (`head_permits` = 0 OR `shares` < `head_permits`))
)
