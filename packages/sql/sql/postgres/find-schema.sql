-- Where this connection finds the tables.
-- Returns the schema, or no row.
SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('"locks_layout"')
