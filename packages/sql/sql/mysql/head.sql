-- The first in line on a key.
-- ?        1 key (hexadecimal)
-- Returns  its process and owner.
SELECT `head_process` AS process, `head_owner` AS owner FROM `locks` WHERE `key` = UNHEX(?) AND `head_owner` IS NOT NULL
