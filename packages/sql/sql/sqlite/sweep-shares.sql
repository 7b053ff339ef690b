-- Removes the shares of keys that have no row, all of them expired.
-- :keys (a JSON array)
-- Returns nothing.
DELETE FROM "locks_shares" WHERE key IN (SELECT value FROM json_each(:keys));
