-- Whether the row of removed keys is there.
-- Returns  a row, or none.
SELECT 1 AS found FROM `locks` WHERE `key` = X'FF'
