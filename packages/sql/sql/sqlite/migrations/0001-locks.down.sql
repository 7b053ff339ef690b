-- Removes the tables, and with them every hold.

DROP TABLE "locks_layout";

DROP TABLE "locks_host";

DROP TABLE "locks_fences";

DROP TABLE "locks_line";

DROP TABLE "locks_shares";

DROP TABLE "locks";
