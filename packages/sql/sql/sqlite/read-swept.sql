-- What a new row's token must exceed.
-- Returns the highest version that was removed.
SELECT swept FROM "locks_host";
