-- The layout of the tables.
-- Returns its version, and the oldest one whose packages can use it.
SELECT version, readable_from FROM "locks_layout" ORDER BY version DESC LIMIT 1;
