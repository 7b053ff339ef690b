-- The layout of the tables.
-- Returns its version.
SELECT max(version) AS version FROM "locks_layout";
