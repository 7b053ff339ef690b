-- Registers: a short text under a name, which lasts until a client changes it. Each is a row that
-- is no key's. Its key is the name as a blob, which no text equals, and which is after all texts.
-- Its owner is the text, and it is not held. No version is higher, so no sweep removes it.

-- name: read-register
-- The text of a register.
-- :name
-- Returns owner, or no row.
SELECT owner FROM "locks" WHERE key = CAST(:name AS BLOB);

-- name: write-register
-- Gives a register a text.
-- :name, :text
-- Returns nothing.
INSERT INTO "locks" (key, version, owner) VALUES (CAST(:name AS BLOB), 9007199254740991, :text)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner;

-- name: remove-register
-- Leaves a register without a text.
-- :name
-- Returns nothing.
DELETE FROM "locks" WHERE key = CAST(:name AS BLOB);
