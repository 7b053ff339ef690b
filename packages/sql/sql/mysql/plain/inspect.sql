-- Who has a key.
-- ?        1 key (hexadecimal)
-- Returns  owner, token, remaining (µs), or no row.
SELECT `owner`, CAST(`version` AS CHAR) AS token, CAST(`held_until` - {now} AS CHAR) AS remaining
FROM `locks` WHERE `key` = UNHEX(?) AND `owner` IS NOT NULL AND `held_until` > {now}
