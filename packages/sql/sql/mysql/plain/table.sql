-- The whole lock with option routines=false, for MariaDB 10.6, MySQL 8.0 and newer: one table of
-- four columns, in this order.
--   mariadb --user=admin --password the_database < table.sql
-- Other names, or another database: replace `locks`. What the service needs of it is in grants.sql.
-- Times are microseconds since 1970 in UTC, by the clock of the server. Keys and owners are bytes:
-- no collation makes two of them equal.
CREATE TABLE `locks` (
  -- The row with the byte 255 is no key's: its version is above the versions of removed rows.
  `key` VARBINARY(512) NOT NULL,
  -- The highest fencing token given: each acquire raises it.
  `version` BIGINT NOT NULL,
  -- The holder, while held_until is ahead.
  `owner` VARBINARY(255) NULL,
  `held_until` BIGINT NULL,
  PRIMARY KEY (`key`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
