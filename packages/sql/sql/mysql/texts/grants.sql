-- What the user "app", who runs the service with option routines=false, needs of the table that
-- another user has made:
--   mariadb --user=admin --password the_database < grants.sql
GRANT SELECT, INSERT, UPDATE ON `locks` TO `app`;
-- Only where the service removes the rows of idle keys; without it, set option sweep=false.
GRANT DELETE ON `locks` TO `app`;
