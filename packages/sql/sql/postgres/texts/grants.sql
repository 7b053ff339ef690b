-- What the role "app", who runs the service with option routines=false, needs of the table that
-- another role has made:
--   psql --set ON_ERROR_STOP=1 --file grants.sql
GRANT USAGE ON SCHEMA "public" TO "app";
GRANT SELECT, INSERT, UPDATE ON "locks" TO "app";
-- Only where the service removes the rows of idle keys; without it, set option sweep=false.
GRANT DELETE ON "locks" TO "app";
