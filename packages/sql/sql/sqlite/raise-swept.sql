-- Keeps in mind what a new row's token must exceed.
-- :version
-- Returns nothing.
UPDATE "locks_host" SET swept = max(swept, :version);
