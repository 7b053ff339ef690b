-- The tables of @locks/sql in SQLite: sqlite3 locks.db < 0001-locks.sql
-- Times are µs of the host's monotonic clock, which starts anew at each boot: "locks_host" says of which boot they are.

-- One row per key. Held exclusively: owner and held_until; shared: held_until alone, the latest expiry of the shares.
-- line_until and next_lapse are null when nobody is in line, else not before, and not after, any deadline in line.
-- The first four columns are those of ../plain/table.sql: a table that has been used without routines goes on with its rows.
CREATE TABLE IF NOT EXISTS "locks" (
  key TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  owner TEXT,
  held_until INTEGER
) WITHOUT ROWID;

-- Fails where the name is that of another table.
SELECT key, version, owner, held_until FROM "locks" WHERE 0;
INSERT INTO "locks" SELECT NULL, NULL, NULL, NULL WHERE 0;

-- From here on the statements of clients without routines fail that take a key: they are made for four columns.
ALTER TABLE "locks" ADD COLUMN line_until INTEGER;
ALTER TABLE "locks" ADD COLUMN next_lapse INTEGER;
ALTER TABLE "locks" ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
-- The owner that a release gave the key to, until a call of it has that. That of another owner says nothing.
ALTER TABLE "locks" ADD COLUMN assigned_to TEXT;
-- Holds that began without routines end with the boot, too.
UPDATE "locks" SET touched = 1 WHERE key > '' AND held_until IS NOT NULL;

-- permits: 0 is any number.
CREATE TABLE IF NOT EXISTS "locks_shares" (
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  permits INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (key, owner)
) WITHOUT ROWID;

-- permits: null wants the key exclusively, 0 shared with any number. deadline - seen is how long the place lasts without a sign of life.
-- ttl, in µs, and floor are those of a hold that a release gives to the claim; 0: it gives none.
CREATE TABLE IF NOT EXISTS "locks_line" (
  key TEXT NOT NULL,
  place INTEGER NOT NULL,
  owner TEXT NOT NULL,
  process TEXT NOT NULL,
  permits INTEGER,
  seen INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  ttl INTEGER NOT NULL DEFAULT 0,
  floor INTEGER,
  PRIMARY KEY (key, place),
  UNIQUE (key, owner)
) WITHOUT ROWID;

-- The guard's: the highest fencing token seen by each resource.
CREATE TABLE IF NOT EXISTS "locks_fences" (
  resource TEXT NOT NULL PRIMARY KEY,
  token INTEGER NOT NULL
) WITHOUT ROWID;

-- swept: the highest version of a row that was removed.
CREATE TABLE IF NOT EXISTS "locks_host" (
  boot TEXT NOT NULL,
  swept INTEGER NOT NULL
);

-- Without routines, a row of the empty key has the boot and the highest removed token. The key of a register is a blob.
INSERT INTO "locks_host" (boot, swept)
SELECT coalesce(max(owner) FILTER (WHERE key = ''), ''), coalesce(max(version), 0) FROM "locks" WHERE typeof(key) = 'text';
DELETE FROM "locks" WHERE key = '';

-- readable_from: packages made for this layout, and for later ones, can use the tables.
CREATE TABLE IF NOT EXISTS "locks_layout" (
  version INTEGER NOT NULL,
  readable_from INTEGER NOT NULL
);

INSERT INTO "locks_layout" (version, readable_from) VALUES (1, 1);
