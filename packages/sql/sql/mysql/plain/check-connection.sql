-- Looks at a new connection and at the table.
-- ?        1 the database or NULL for the connection's own, 2 the table
-- Returns  the server's version; whether each statement is a transaction of its own; whether the server refuses to write; the table's
--          database and its columns with their types, both NULL without the table.
SELECT VERSION() AS server, @@session.autocommit AS autocommit, @@global.read_only AS read_only,
  found.home, found.columns
FROM (
  SELECT
    CAST(MIN(table_schema) AS CHAR) AS home,
    CAST(GROUP_CONCAT(column_name, ' ', data_type ORDER BY ordinal_position SEPARATOR ', ') AS CHAR) AS columns
  FROM information_schema.columns WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?
) AS found
