-- Removes the places of keys that have no row, all of them lapsed.
-- :keys (a JSON array)
-- Returns nothing.
DELETE FROM "locks_line" WHERE key IN (SELECT value FROM json_each(:keys));
