-- After a boot nobody shares anything.
-- Returns nothing.
DELETE FROM "locks_shares";
