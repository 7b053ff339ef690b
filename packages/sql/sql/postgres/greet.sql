-- What this connection is like.
-- Returns the version of the server, whether it is a standby, whether transactions are read-only and how isolated by default, and the layout.
SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('default_transaction_read_only'),
  current_setting('default_transaction_isolation'), (SELECT max(version) FROM "locks_layout")
