-- After a boot nobody holds anything: whoever did has ended.
-- Returns nothing.
UPDATE "locks" SET owner = NULL, held_until = NULL, line_until = NULL, next_lapse = NULL, touched = 0
WHERE touched > 0;
