-- Removes the tables, and with them every hold.

DROP TABLE IF EXISTS "locks_layout";

DROP TABLE IF EXISTS "locks_host";

DROP TABLE IF EXISTS "locks_fences";

DROP TABLE IF EXISTS "locks";
