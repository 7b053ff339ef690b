-- What a connection is like, once for each.
-- Returns  the layout of the tables and the oldest one whose packages can use them; the server's version; whether each statement is a transaction of its own, whether the server refuses
-- to write; whether SYSDATE moves on within a statement, as it does unless the server was started with --sysdate-is-now.
SELECT CAST(`version` AS CHAR) AS layout, CAST(`readable_from` AS CHAR) AS readable_from, VERSION() AS server, @@session.autocommit AS autocommit, @@global.read_only AS read_only,
  SLEEP(0.0001) AS slept, SYSDATE(6) > NOW(6) AS moves
FROM `locks_layout`
