-- The check of a new connection, the layout of the tables, and the sweep.

-- name: check-connection
-- Looks at a connection, once for each.
-- ?        1 the name of the table of the layout
-- Returns  the connection's own database, NULL where it has no such table; the layout of the
--          tables, and the oldest one whose packages can use them; the server's version; whether
--          each statement is a transaction of its own; whether the server refuses to write; whether
--          SYSDATE moves on within a statement, as it does unless the server was started with
--          --sysdate-is-now.
SELECT (
    SELECT CAST(table_schema AS CHAR) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?
  ) AS home, CAST(`version` AS CHAR) AS layout, CAST(`readable_from` AS CHAR) AS readable_from, VERSION() AS server, @@session.autocommit AS autocommit,
  CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') AS read_only,
  SLEEP(0.0001) AS slept, SYSDATE(6) > NOW(6) AS moves
FROM `locks_layout`

-- name: sweep-stretch
-- How far one step of the sweep goes.
-- ?        1 the key before the first (hexadecimal)
-- Returns  the last key (hexadecimal); no row when fewer are left.
SELECT HEX(`key`) AS `key` FROM `locks` WHERE `key` > UNHEX(?) ORDER BY `locks`.`key` LIMIT 1 OFFSET {offset}

-- name: sweep
-- Removes the rows of idle keys of a range: see the procedure.
-- ?        1 retention (µs), 2 how many keys at most, 3 the key before the first, 4 the last key or
--          NULL (both hexadecimal)
-- Returns  how many keys it was.
CALL `locks_sweep`(CAST(? AS SIGNED), CAST(? AS SIGNED), UNHEX(?), UNHEX(?))

-- name: time
-- The server's clock.
-- Returns  time (ms since 1970).
SELECT CAST({clock} DIV 1000 AS CHAR) AS `time`
