-- From now on times are of this boot.
-- :boot, :now
-- Returns nothing.
INSERT INTO "locks" VALUES ('', 0, :boot, :now)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until;
