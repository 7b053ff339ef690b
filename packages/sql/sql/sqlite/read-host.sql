-- Of which boot the times are.
-- Returns the boot, '' when no process has used the tables yet.
SELECT boot FROM "locks_host";
