-- The first part of a sweep's step: notes what every later token of a new row must exceed.
-- ?        1 and 2 for how long a row must have been idle to be removed (µs)
-- Returns  as insertId the version below which rows may go.
INSERT INTO `locks` VALUES (X'FF', LAST_INSERT_ID({now} - CAST(? AS SIGNED)), NULL, NULL)
ON DUPLICATE KEY UPDATE `version` = LAST_INSERT_ID(GREATEST(`version`, {now} - CAST(? AS SIGNED)))
