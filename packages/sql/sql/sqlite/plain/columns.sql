-- The columns of a table with their types.
-- :table
-- Returns a row; its columns are null without the table.
SELECT group_concat(name || ' ' || lower(type), ', ') AS columns FROM pragma_table_info(:table);
