-- What this connection is like.
-- Returns the version of the server, whether it is a standby, whether transactions are read-only and how isolated by default, the ms after
-- which a statement is ended, and the layout.
SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('default_transaction_read_only'),
  current_setting('default_transaction_isolation'), extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, (SELECT max(version) FROM "locks_layout")
