-- The whole lock with option routines=false, in SQLite: one table of four columns, in this order.
--   sqlite3 locks.db < table.sql
-- Times are µs of the host's monotonic clock, which starts anew at each boot.
CREATE TABLE "locks" (
  -- The row with the empty key is no key's: its version is above the versions of removed rows, its
  -- owner is the boot of the host.
  key TEXT NOT NULL PRIMARY KEY,
  -- The highest fencing token given: each acquire raises it.
  version INTEGER NOT NULL,
  -- The holder, while held_until is ahead.
  owner TEXT,
  held_until INTEGER
) WITHOUT ROWID;
