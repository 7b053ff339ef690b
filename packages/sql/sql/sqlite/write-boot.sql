-- From now on times are of this boot.
-- :boot
-- Returns nothing.
UPDATE "locks_host" SET boot = :boot;
