-- The tables of @locks/sql in SQLite: sqlite3 locks.db < 0001-locks.sql
-- Times are ms of the host's monotonic clock, which starts anew at each boot: "locks_host" says of which boot they are.

-- One row per key or register: a text that core writes, and the version that the next write compares.
-- written + keep_for: the text may go then. keep_for is null where it must stay.
CREATE TABLE IF NOT EXISTS "locks" (
  key TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  record TEXT NOT NULL,
  written REAL NOT NULL,
  keep_for INTEGER
) WITHOUT ROWID;

-- Fails where the name is that of another table.
SELECT key, version, record, written, keep_for FROM "locks" WHERE 0;
INSERT INTO "locks" SELECT NULL, NULL, NULL, NULL, NULL WHERE 0;

-- The guard's: the highest fencing token seen by each resource.
CREATE TABLE IF NOT EXISTS "locks_fences" (
  resource TEXT NOT NULL PRIMARY KEY,
  token INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS "locks_host" (
  boot TEXT NOT NULL
);

INSERT INTO "locks_host" (boot) VALUES ('');

-- readable_from: packages made for this layout, and for later ones, can use the tables.
CREATE TABLE IF NOT EXISTS "locks_layout" (
  version INTEGER NOT NULL,
  readable_from INTEGER NOT NULL
);

INSERT INTO "locks_layout" (version, readable_from) VALUES (1, 1);
