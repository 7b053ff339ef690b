-- The whole lock with option routines=false, for Postgres 13 and newer: one table of four columns,
-- in this order.
--   psql --set ON_ERROR_STOP=1 --file table.sql
-- Other names, or a schema: replace "locks". What the service needs of it is in grants.sql.
CREATE TABLE "locks" (
  -- The bytes of the key. The row with the byte 255 is no key's: its version is above the versions
  -- of removed rows.
  key bytea PRIMARY KEY,
  -- The highest fencing token given: each acquire raises it.
  version bigint NOT NULL,
  -- The holder, while held_until is ahead.
  owner text,
  held_until timestamptz
) WITH (fillfactor = 50);
