-- The last part of a sweep's step: removes rows that are idle still.
-- ?        1 the version below which they may go, then the keys (hexadecimal)
-- Returns  how many rows as affected rows.
DELETE FROM `locks`
WHERE `version` < CAST(? AS SIGNED) AND (`held_until` IS NULL OR `held_until` <= {now}) AND `key` IN ({keys})
