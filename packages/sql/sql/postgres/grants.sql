-- What the role "app", who runs the service, needs of the tables that another role has made:
--   psql --set ON_ERROR_STOP=1 --file grants.sql
-- No DELETE and no CREATE: the routines run with the rights of their owner. Other names, or a
-- schema: replace them.
GRANT USAGE ON SCHEMA "public" TO "app";
GRANT SELECT, INSERT, UPDATE ON "locks" TO "app";
GRANT SELECT ON "locks_queue", "locks_shares", "locks_layout" TO "app";
GRANT EXECUTE ON FUNCTION "locks_acquire", "locks_renew", "locks_release", "locks_sweep" TO "app";
GRANT EXECUTE ON PROCEDURE "locks_release_and_tell" TO "app";
-- Only for fence().
GRANT SELECT, INSERT, UPDATE ON "locks_fences" TO "app";
