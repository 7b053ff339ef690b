-- After a boot nobody is in line.
-- Returns nothing.
DELETE FROM "locks_line";
