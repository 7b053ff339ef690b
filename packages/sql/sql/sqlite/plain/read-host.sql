-- Of which boot the times are, and when a process that cannot tell boots apart wrote last.
-- Returns owner (the boot) and held_until, or no row when no process has used the table yet.
SELECT owner, held_until FROM "locks" WHERE key = '';
