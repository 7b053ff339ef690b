-- What this connection is like.
-- Returns the version of the server, whether it is a standby, whether transactions are read-only and how isolated by default, the ms after
-- which a statement is ended, the layout, and the oldest layout whose packages can use the tables.
SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('default_transaction_read_only'),
  current_setting('default_transaction_isolation'), extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, layout.version, layout.readable_from
FROM (SELECT 1) AS one LEFT JOIN "locks_layout" AS layout ON true
