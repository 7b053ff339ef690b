-- When a row was last written.
-- Returns the latest time, null in an empty table.
SELECT max(touched) AS touched FROM "locks";
