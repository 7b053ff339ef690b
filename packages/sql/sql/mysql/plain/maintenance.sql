-- What a provider with option routines=false does besides: a look at each new connection, and the
-- sweep.

-- name: check-connection
-- Looks at a new connection and at the table.
-- ?        1 the database or NULL for the connection's own, 2 the table
-- Returns  the server's version; whether each statement is a transaction of its own; whether the
--          server refuses to write; the table's database and its columns with their types, both
--          NULL without the table.
SELECT VERSION() AS server, @@session.autocommit AS autocommit,
  CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') AS read_only,
  found.home, found.columns
FROM (
  SELECT
    CAST(MIN(table_schema) AS CHAR) AS home,
    CAST(GROUP_CONCAT(column_name, ' ', data_type ORDER BY ordinal_position SEPARATOR ', ') AS CHAR) AS columns
  FROM information_schema.columns WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?
) AS found

-- name: find-removed
-- Whether the row of removed keys is there.
-- Returns  a row, or none.
SELECT 1 AS found FROM `locks` WHERE `key` = X'FF'

-- name: write-removed
-- Makes the row of removed keys.
-- Returns  nothing.
INSERT INTO `locks` VALUES (X'FF', 0, NULL, NULL) ON DUPLICATE KEY UPDATE `version` = `version`

-- name: raise-removed
-- The first part of a sweep's step: notes what every later token of a new row must exceed.
-- ?        1 and 2 for how long a row must have been idle to be removed (µs)
-- Returns  as insertId the version below which rows may go.
INSERT INTO `locks` VALUES (X'FF', LAST_INSERT_ID({now} - CAST(? AS SIGNED)), NULL, NULL)
ON DUPLICATE KEY UPDATE `version` = LAST_INSERT_ID(GREATEST(`version`, {now} - CAST(? AS SIGNED)))

-- name: idle
-- The keys of a stretch whose rows may be removed: a look that locks nothing.
-- ?        1 the version below which they may go, 2 the key before the first, 3 the last key or
--          NULL (both hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `version` < CAST(? AS SIGNED) AND `key` > UNHEX(?) AND `key` <= COALESCE(UNHEX(?), X'FF') AND `key` < X'FF'
  AND (`held_until` IS NULL OR `held_until` <= {now})
LIMIT {limit}

-- name: remove
-- The last part of a sweep's step: removes rows that are idle still.
-- ?        1 the version below which they may go, then the keys (hexadecimal)
-- Returns  how many rows as affected rows.
DELETE FROM `locks`
WHERE `version` < CAST(? AS SIGNED) AND (`held_until` IS NULL OR `held_until` <= {now}) AND `key` IN ({keys})
