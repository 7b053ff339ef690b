-- Makes the row of removed keys.
-- Returns  nothing.
INSERT INTO `locks` VALUES (X'FF', 0, NULL, NULL) ON DUPLICATE KEY UPDATE `version` = `version`
