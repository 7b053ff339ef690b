-- Notes what every later token of a new row must exceed.
-- :older
-- Returns nothing.
INSERT INTO "locks" VALUES ('', :older, NULL, NULL)
ON CONFLICT (key) DO UPDATE SET version = max(version, excluded.version);
