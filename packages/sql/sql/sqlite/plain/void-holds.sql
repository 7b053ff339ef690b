-- After a boot nobody holds anything: whoever did has ended.
-- Returns nothing.
UPDATE "locks" SET owner = NULL, held_until = NULL WHERE key > '' AND held_until IS NOT NULL;
