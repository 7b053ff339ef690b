-- The whole lock with option routines=false, for MariaDB 10.6, MySQL 8.0 and newer: one table.
--   mariadb --user=admin --password the_database < table.sql
-- Other names, or another database: replace `locks`. What the service needs of it is in grants.sql.
-- Times are microseconds since 1970 in UTC, by the clock of the server.
CREATE TABLE `locks` (
  -- The bytes of "key:", "pace:" or "register:", and of a name.
  `key` VARBINARY(521) NOT NULL,
  -- What the next write compares.
  `version` VARBINARY(64) NOT NULL,
  -- All that there is of the key: holds, queue, highest token. Each change writes it again.
  `record` MEDIUMBLOB NOT NULL,
  `written` BIGINT NOT NULL,
  -- For how many ms the text must stay from then on. NULL: for ever.
  `keep_for` BIGINT NULL,
  PRIMARY KEY (`key`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
