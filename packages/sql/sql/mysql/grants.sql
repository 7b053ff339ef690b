-- What the user `app`, who runs the service, needs of the tables that another user has made:
--   mariadb --user=admin --password the_database < grants.sql
-- No DELETE or CREATE on the locks: the routines run with the rights of the user who made them, and
-- so do those that they call.
-- Other names, or another database: replace them.
GRANT SELECT, INSERT, UPDATE ON `locks` TO `app`;
GRANT SELECT ON `locks_layout` TO `app`;
GRANT EXECUTE ON PROCEDURE `locks_act` TO `app`;
GRANT EXECUTE ON PROCEDURE `locks_act_and_wake` TO `app`;
GRANT EXECUTE ON PROCEDURE `locks_inspect` TO `app`;
GRANT EXECUTE ON PROCEDURE `locks_sweep` TO `app`;
-- Only for fence().
GRANT SELECT, INSERT, UPDATE ON `locks_fences` TO `app`;
