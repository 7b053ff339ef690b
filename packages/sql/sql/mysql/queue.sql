-- The queue of a key, and how its first waiter is notified.

-- name: wake
-- Ends the wait of the second session of this process. The routine ends those of others.
-- {session} is the session (hexadecimal), as the tables name it: the server says which connection
-- that is now.
-- Returns  nothing, or an error where there is no such session, or it is of another user.
KILL QUERY IS_USED_LOCK(CONCAT('locks_', X'{session}', ':wakes'))

-- name: turns
-- The waiters of this process that are first in the queue on one of some keys, and can go, or were
-- given the key and had no answer with it yet. Also keys whose first in the queue has ended: the
-- procedure finds the next one.
-- ?        1, 2 this process, under whose name its sessions begin, 3 and on: keys (hexadecimal),
--          and this process twice again
-- Returns  the owners, or NULL with the key (hexadecimal). Of what one was given token and span
--          (µs); NULL: it has to try.
SELECT
  IF(assigned, `owner`, IF(LOCATE(?, `head_process`) = 1, `head_owner`, NULL)) AS owner, HEX(`key`) AS `key`,
  IF(assigned, CAST(`version` AS CHAR), NULL) AS token, CAST(`held_until` - {clock} AS CHAR) AS span
FROM (
  SELECT *, COALESCE(`assigned_to` = `owner` AND LOCATE(?, `assigned_process`) = 1 AND `held_until` > {clock}, FALSE) AS assigned
  FROM `locks` WHERE `key` IN ({keys})
) AS `found`
WHERE assigned OR IF(
  LOCATE(?, `head_process`) = 1,
  `held_until` IS NULL
    OR `held_until` <= {clock}
    OR (`owner` IS NULL AND `head_permits` IS NOT NULL AND (`head_permits` = 0 OR `shares` < `head_permits`)),
  (`held_until` IS NULL OR `held_until` <= {clock} OR `owner` IS NULL)
    AND LOCATE('+', `head_process`) > 0
    AND SUBSTRING_INDEX(`head_process`, '@', -1) = LEFT(MD5(CONCAT_WS(' ', @@hostname, @@port, @@server_id)), 8)
    AND IS_USED_LOCK(CONCAT('locks_', `head_process`)) IS NULL
)
