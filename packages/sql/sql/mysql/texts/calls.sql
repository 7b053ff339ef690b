-- The statements of a provider with option routines=false, on the one table of texts.

-- name: now
-- Part of other statements, in place of {now}: the server's clock when the statement began.
-- Returns the microseconds since 1970 in UTC.
TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))

-- name: read
-- The text under a key. The time is that at which the statement came, so not after the text.
-- ?        1 key (hexadecimal)
-- Returns  version and record, both NULL without a text, and now (µs).
SELECT `found`.`version`, `found`.`record`, CAST({now} AS CHAR) AS `now`
FROM (SELECT 1 AS `one`) AS `wanted`
LEFT JOIN (SELECT `version`, `record` FROM `locks` WHERE `key` = UNHEX(?)) AS `found` ON TRUE

-- name: insert
-- The first text of a key.
-- ?        1 key (hexadecimal), 2 version, 3 record (hexadecimal), 4 for how many ms it must stay,
--          or NULL
-- Returns  as affected rows 1, or 0 if there is a text.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
INSERT /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ IGNORE INTO `locks` (`key`, `version`, `record`, `written`, `keep_for`)
VALUES (UNHEX(?), ?, UNHEX(?), {now}, CAST(? AS SIGNED))

-- name: update
-- Another text, if the version is still the one that was seen.
-- ?        1 version, 2 record (hexadecimal), 3 for how many ms it must stay, or NULL, 4 key
--          (hexadecimal), 5 how long it may have waited for the row (µs), 6 the version that was
--          seen
-- Returns  as affected rows 1, or 0.
/*M!100600 SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR */
UPDATE /*+ SET_VAR(innodb_lock_wait_timeout = {seconds}) */ `locks` SET
  `version` = ?, `record` = UNHEX(?), `written` = {clock}, `keep_for` = CAST(? AS SIGNED)
WHERE `key` = UNHEX(?) AND {elapsed} <= CAST(? AS SIGNED) AND `version` = ?

-- name: list
-- The keys of a range that have a text, in the order of their bytes.
-- ?        1 the first key, 2 the key after the last, 3 the key before the first (all hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `key` >= UNHEX(?) AND `key` < UNHEX(?) AND `key` > UNHEX(?)
ORDER BY `locks`.`key` LIMIT {limit}

-- name: check-connection
-- Looks at a new connection and at the table.
-- ?        1 the database or NULL for the connection's own, 2 the table
-- Returns  the server's version; whether each statement is a transaction of its own; whether the
--          server refuses to write; the table's database and the names of its columns, both NULL
--          without the table.
SELECT VERSION() AS server, @@session.autocommit AS autocommit,
  CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') AS read_only,
  found.home, found.columns
FROM (
  SELECT
    CAST(MIN(table_schema) AS CHAR) AS home,
    CAST(GROUP_CONCAT(column_name ORDER BY ordinal_position SEPARATOR ', ') AS CHAR) AS columns
  FROM information_schema.columns WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?
) AS found

-- name: idle
-- The keys of a stretch whose texts may go: a look that locks nothing.
-- ?        1 how long ago they could go (ms), 2 the key before the first, 3 the last key or NULL
--          (both hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `written` + (`keep_for` + CAST(? AS SIGNED)) * 1000 < {now} AND `key` > UNHEX(?) AND `key` <= COALESCE(UNHEX(?), X'FF')
LIMIT {limit}

-- name: remove
-- Removes texts that may go still.
-- ?        1 how long ago they could go (ms), then the keys (hexadecimal)
-- Returns  how many rows as affected rows.
DELETE FROM `locks`
WHERE `written` + (`keep_for` + CAST(? AS SIGNED)) * 1000 < {now} AND `key` IN ({keys})
