-- The keys of a stretch whose rows may be removed: a look that locks nothing.
-- ?        1 the version below which they may go, 2 the key before the first, 3 the last key or NULL (both hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `version` < CAST(? AS SIGNED) AND `key` > UNHEX(?) AND `key` <= COALESCE(UNHEX(?), X'FE') AND `key` < X'FF'
  AND (`held_until` IS NULL OR `held_until` <= {now})
LIMIT {limit}
