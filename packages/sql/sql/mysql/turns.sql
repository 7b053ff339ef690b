-- Who of this process is first in line on one of some keys, and can go.
-- ?        1 this process, 2 and on: keys (hexadecimal)
-- Returns  the owners.
SELECT `head_owner` AS owner FROM `locks` WHERE `head_process` = ? AND `key` IN ({keys}) AND (
  `held_until` IS NULL
  OR `held_until` <= {clock}
  OR (`owner` IS NULL AND `head_permits` IS NOT NULL AND (`head_permits` = 0 OR `shares` < `head_permits`))
)
