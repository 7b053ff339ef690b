-- The whole lock with option routines=false, for Postgres 13 and newer: one table.
--   psql --set ON_ERROR_STOP=1 --file table.sql
-- Other names, or a schema: replace "locks". What the service needs of it is in grants.sql.
CREATE TABLE "locks" (
  -- The bytes of "key:", "pace:" or "register:", and of a name.
  key bytea PRIMARY KEY,
  -- What the next write compares.
  version text NOT NULL,
  -- All that there is of the key: holds, queue, highest token. Each change writes it again.
  record text NOT NULL,
  written timestamptz NOT NULL,
  -- For how many ms the text must stay from then on. NULL: for ever.
  keep_for bigint
) WITH (fillfactor = 70);
