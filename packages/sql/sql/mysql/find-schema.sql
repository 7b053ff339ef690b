-- Where this connection finds the tables.
-- ?        1 the name of the table of the layout
-- Returns  the database, or no row.
SELECT CAST(table_schema AS CHAR) AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?
