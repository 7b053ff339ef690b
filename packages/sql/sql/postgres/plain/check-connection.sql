-- Looks at a new connection and at the table.
-- Returns the server's version, whether it is a standby, whether transactions are read-only and how isolated by default, the ms after
-- which a statement is ended, the table's schema, and its columns with their types; both NULL without the table.
SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('default_transaction_read_only'),
  current_setting('default_transaction_isolation'), extract(epoch FROM current_setting('statement_timeout')::interval) * 1000,
  (
    SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('"locks"')
  ),
  (
    SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum)
    FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass('"locks"') AND a.attnum > 0 AND NOT a.attisdropped
  ) AS columns
